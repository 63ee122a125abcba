import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionChange } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { ConversationOperations } from './conversation-operations.js';
import type { LifecycleOperations } from './lifecycle-operations.js';
import type { OperationResults } from './operation-results.js';
import type { OrThrow } from './or-throw.js';
import type { ReadOperations } from './read-operations.js';
import type {
  RemoteChange,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
} from './remote-results.js';
import type { WorkOperations } from './work-operations.js';

/** The operations that only a service has. */
type ServiceOnly = 'reply' | 'claimAny' | 'countWaitingAny' | 'watchAll' | 'sweep';

/** The errors of each operation, by name: `OperationErrors` and `RemoteErrors` fit. */
export type SharedErrors = {
  readonly [K in Exclude<keyof OperationErrors, ServiceOnly>]: {
    readonly type: string;
    readonly message: string;
  };
};

/** The results that a service and a client return with different fields, by operation. */
export interface SharedResults<out T extends SessionSchemas = SessionSchemas> {
  readonly create: RemoteCreated;
  readonly getOrCreate: RemoteGetOrCreateResult<T>;
  readonly get: RemoteSession<T>;
  readonly list: Omit<RemotePage<T>, 'truncated'>;
  readonly claim: RemoteClaims<T>;
  readonly watch: RemoteChange<T>;
}

/** The results of a service that those of a client differ from. */
export interface ServiceResults<T extends SessionSchemas>
  extends Pick<OperationResults<T>, Exclude<keyof SharedResults, 'watch'>> {
  readonly watch: SessionChange<T>;
}

/**
 * The operations that `SessionService` and `SessionClient` share, for code that accepts either. No
 * operation throws or rejects. In the examples of the operations, `sessions` is a service or a
 * client, and `id` is an ACTIVE session with two entries: a question, and the answer "Bridges,
 * mostly." With `SessionOperations<OperationErrors | RemoteErrors>`, `type` distinguishes the
 * errors of both.
 *
 * @example
 * ```ts
 * const finish = (sessions: SessionOperations, id: string) =>
 *   sessions
 *     .append(id, [{ role: 'assistant', content: 'Bye!' }])
 *     .andThen(() => sessions.terminate(id));
 * const finished = await finish(sessions, id);
 * console.log(finished.isOk()); // true
 * ```
 */
export interface SessionOperations<
  E extends SharedErrors = SharedErrors,
  out T extends SessionSchemas = SessionSchemas,
  R extends SharedResults<T> = SharedResults<T>,
> extends ConversationOperations<E, T>,
    LifecycleOperations<E, T, R>,
    ReadOperations<E, T, R>,
    WorkOperations<E, T, R> {
  /**
   * The same operations as promises of their values, for `await` and `try`: an error rejects with a
   * `SessionFailure`. An iterable throws at its first error.
   *
   * @example
   * ```ts
   * try {
   *   await sessions.orThrow.start(id);
   * } catch (failure) {
   *   if (!(failure instanceof SessionFailure)) throw failure;
   *   console.log(failure.type); // invalid_transition
   * }
   * ```
   */
  readonly orThrow: OrThrow<SessionOperations<E, T, R>>;
}
