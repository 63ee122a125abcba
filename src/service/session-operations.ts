import type { ResultAsync } from 'neverthrow';
import type { SessionChange } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { HeldLease, ReturnedError, ReturnedValue } from '../session/with-lease.js';
import type { ConversationOperations } from './conversation-operations.js';
import type { LeaseInput } from './lease-session.js';
import type { LifecycleOperations } from './lifecycle-operations.js';
import type { SharedErrors, SharedResults } from './operation-contract.js';
import type { OperationResults } from './operation-results.js';
import type { OrThrow } from './or-throw.js';
import type { ReadOperations } from './read-operations.js';
import type { WorkOperations } from './work-operations.js';

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

  /**
   * Leases a session while `use` runs: renews the lease after each third of its length, and
   * releases it at the end. `use` gets `sessions`, whose appends and commands on the session carry
   * the token of the lease. Returns the value of `use`, or its result if it returns one. Fails with
   * `callback_failed` if `use` throws or rejects, and with `lease_lost` in place of a value if the
   * lease was lost before `use` had finished. `signal` is aborted as soon as that is known, and
   * when the session has ended: the call then still fails with the own error of `use`, or with the
   * reason of the signal if `use` throws that. If the session cannot be leased, `use` is not
   * called.
   *
   * @example
   * ```ts
   * const lease = { holder: 'worker-1', seconds: 30 };
   * const done = await sessions.withLease(id, lease, async ({ sessions, signal }) => {
   *   const { entries } = await sessions.orThrow.history(id);
   *   const answer = await askModel(entries, signal);
   *   return sessions.append(id, [{ role: 'assistant', content: answer }]);
   * });
   * if (done.isErr()) console.error(done.error.message);
   * ```
   */
  withLease<U>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionOperations<E, T, R>>) => U,
  ): ResultAsync<ReturnedValue<Awaited<U>>, E['withLease'] | ReturnedError<Awaited<U>>>;
}
