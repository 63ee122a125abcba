import type { ResultAsync } from 'neverthrow';
import type { Counters, SessionState } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { OperationOptions } from './apply-command.js';
import type { CreateSessionInput } from './create-session.js';
import type { ExtendInput } from './extend-session.js';
import type { GetOrCreateInput } from './get-or-create.js';
import type { SharedErrors, SharedResults } from './operation-contract.js';
import type { Spent } from './operation-results.js';
import type { UpdateInput, UpdateOptions } from './update-session.js';

/** The operations that create, change and end a session. */
export interface LifecycleOperations<
  E extends SharedErrors,
  out T extends SessionSchemas,
  R extends SharedResults<T>,
> {
  /**
   * Creates a session in the status IDLE. `start`, `entries` and `from` also start, fill and fork
   * it, in one step: everything is done, or nothing.
   *
   * @example
   * ```ts
   * const created = await sessions.create({
   *   face: 'ada',
   *   profile: 'interviewer',
   *   timeLimit: 1800,
   *   labels: { user: 'u-1' },
   * });
   * if (created.isErr()) console.error(created.error.message);
   * else await sessions.start(created.value.id);
   * ```
   */
  create(input: CreateSessionInput<T>): ResultAsync<R['create'], E['create']>;

  /**
   * Reads the session with the caller's id, whatever its options and its status, or creates and
   * starts it. `created` distinguishes the two. If calls race, exactly one creates the session; all
   * return it.
   *
   * @example
   * ```ts
   * const call = { id: 'call-555-0123', face: 'ada', profile: 'receptionist' };
   * const first = await sessions.orThrow.getOrCreate(call);
   * console.log(first.created, first.status); // true ACTIVE
   * const again = await sessions.orThrow.getOrCreate(call);
   * console.log(again.created); // false
   * ```
   */
  getOrCreate(input: GetOrCreateInput<T>): ResultAsync<R['getOrCreate'], E['getOrCreate']>;

  /**
   * IDLE to ACTIVE. The time limit begins to run.
   *
   * @example
   * ```ts
   * const { id: callId } = await sessions.orThrow.create({ face: 'ada', profile: 'tutor' });
   * const started = await sessions.start(callId);
   * if (started.isErr()) console.error('No line is free:', started.error.message);
   * else console.log(started.value.status); // ACTIVE
   * ```
   */
  start(id: string, options?: OperationOptions): ResultAsync<SessionState, E['start']>;

  /**
   * ACTIVE to PAUSED. A pause does not count towards the time limit.
   *
   * @example
   * ```ts
   * const { status } = await sessions.orThrow.pause(id); // the caller is put on hold
   * console.log(status); // PAUSED
   * ```
   */
  pause(id: string, options?: OperationOptions): ResultAsync<SessionState, E['pause']>;

  /**
   * PAUSED to ACTIVE. The time limit continues to run.
   *
   * @example
   * ```ts
   * await sessions.orThrow.pause(id);
   * const { status } = await sessions.orThrow.resume(id);
   * console.log(status); // ACTIVE
   * ```
   */
  resume(id: string, options?: OperationOptions): ResultAsync<SessionState, E['resume']>;

  /**
   * Sets a new time limit, new budgets, or both, higher or lower than before, of a session that has
   * not ended. They include what is already used: a limit that is not higher fails with
   * `invalid_input`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.extend(id, { timeLimit: 1200 });
   * const { options } = await sessions.orThrow.get(id);
   * console.log(options.timeLimit); // 1200
   * ```
   */
  extend(
    id: string,
    input: ExtendInput,
    options?: OperationOptions,
  ): ResultAsync<SessionState, E['extend']>;

  /**
   * Sets and removes labels and metadata of a session in any status, in one step; the others stay.
   * Concurrent updates are all applied: an update that loses a race is decided again, and after ten
   * seconds of lost races fails with `conflict`. With `ifRevision`, an update is applied only if it
   * knows the latest revision. An update that changes nothing writes nothing. Updates do not count
   * as activity: `updatedAt` and the inactivity timeout stay.
   *
   * @example
   * ```ts
   * await sessions.orThrow.update(id, {
   *   labels: { title: 'Bridges', draft: null },
   *   metadata: { rating: 4 },
   * });
   * const { labels } = await sessions.orThrow.get(id);
   * console.log(labels?.['title']); // Bridges
   * ```
   */
  update(
    id: string,
    input: UpdateInput<T>,
    options?: UpdateOptions,
  ): ResultAsync<SessionState, E['update']>;

  /**
   * Adds to the counters of a session: those of its budget, and those that `limits.counters` names.
   * The write that reaches a budget is counted in full and ends the session with the reason
   * `budget`, for every reader in every process. IDLE and PAUSED sessions spend too, and ended
   * sessions in their grace period. A rewind refunds nothing. `append`, `rewind` and turns accept a
   * `usage`, which is counted in the same step.
   *
   * @example
   * ```ts
   * await sessions.orThrow.extend(id, { budget: { tokens: 100_000 } });
   * await sessions.orThrow.spend(id, { tokens: 900 }, { operationId: 'call-1' });
   * const { usage } = await sessions.orThrow.get(id);
   * console.log(usage?.['tokens']); // 900
   * ```
   */
  spend(id: string, usage: Counters, options?: OperationOptions): ResultAsync<Spent, E['spend']>;

  /**
   * Ends the session with the reason `terminated`. Succeeds without a change if the session has
   * ended.
   *
   * @example
   * ```ts
   * const { status, endReason } = await sessions.orThrow.terminate(id);
   * console.log(status, endReason); // TERMINATED terminated
   * ```
   */
  terminate(id: string, options?: OperationOptions): ResultAsync<SessionState, E['terminate']>;

  /**
   * Ends the session with the reason `failed`. A session that has ended keeps its reason: the
   * call fails with `invalid_transition`.
   *
   * @example
   * ```ts
   * try {
   *   const { entries } = await sessions.orThrow.history(id);
   *   await askModel(entries);
   * } catch {
   *   await sessions.orThrow.fail(id);
   * }
   * ```
   */
  fail(id: string, options?: OperationOptions): ResultAsync<SessionState, E['fail']>;

  /**
   * Deletes the session. Also succeeds if it does not exist.
   *
   * @example
   * ```ts
   * await sessions.orThrow.delete(id);
   * const found = await sessions.get(id);
   * console.log(found.isErr() && found.error.type); // not_found
   * ```
   */
  delete(id: string): ResultAsync<void, E['delete']>;
}
