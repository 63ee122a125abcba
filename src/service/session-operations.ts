import type { Result, ResultAsync } from 'neverthrow';
import type { Message } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters, SessionLease, SessionState, TakenLease } from '../session/session.js';
import type { SessionChange, WatchOptions } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { HeldLease, ReturnedError, ReturnedValue } from '../session/with-lease.js';
import type { AnswerOptions } from './answers.js';
import type { AppendOptions } from './change-history.js';
import type { ExtendInput, OperationOptions } from './change-session.js';
import type { ClaimInput } from './claim-sessions.js';
import type { CreateSessionInput } from './create-session.js';
import type { GetOrCreateInput } from './get-or-create.js';
import type { EachQuery, ListQuery } from './list-sessions.js';
import type { NewMessage, SendOptions } from './messages.js';
import type { NewHistoryEntry } from './new-history-entry.js';
import type {
  Appended,
  HistoryPart,
  OperationResults,
  Spent,
  WaitingCount,
} from './operation-results.js';
import type { OrThrow } from './or-throw.js';
import type { GetOptions, HistoryQuery, ReadOptions } from './read-session.js';
import type {
  RemoteChange,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
} from './remote-results.js';
import type { RewindInput } from './rewind-history.js';
import type {
  CancelOptions,
  LeaseInput,
  ReleaseInput,
  RenewInput,
  WakeOptions,
} from './session-work.js';
import type { TakeInput } from './turn.js';
import type { Released, Reply, Sent, TakenMessages, WithdrawnMessages } from './turn-results.js';
import type { UpdateInput, UpdateOptions } from './update-session.js';

/** The operations that only a service has. */
type ServiceOnly = 'reply' | 'claimAny' | 'countWaitingAny' | 'watchAll' | 'sweep';

/** The errors of each operation, by name: `OperationErrors` and `RemoteErrors` fit. */
type SharedErrors = {
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

type SharedGetOptions = Omit<GetOptions, keyof ReadOptions>;
type SharedWatchOptions = Omit<WatchOptions, 'leases' | 'onOpen'>;

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
> {
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
   * Reads a session with its history, or with its latest entries.
   *
   * @example
   * ```ts
   * const found = await sessions.get(id);
   * if (found.isErr()) console.error(found.error.type);
   * else console.log(found.value.status, found.value.history.length); // ACTIVE 2
   * ```
   */
  get(id: string, options?: SharedGetOptions): ResultAsync<R['get'], E['get']>;

  /**
   * Reads a part of a history: the last entries, those after a position, or those before one. The
   * cost depends on the part, not on the length of the history. Fails with `invalid_input` if a
   * position is not in this history.
   *
   * @example
   * ```ts
   * const { entries, start, position } = await sessions.orThrow.history(id, { last: 20 });
   * console.log(entries.at(-1)?.content); // Bridges, mostly.
   * const older = await sessions.orThrow.history(id, { before: start });
   * const newer = await sessions.orThrow.history(id, { after: position });
   * ```
   */
  history(id: string, query?: HistoryQuery): ResultAsync<HistoryPart<T>, E['history']>;

  /**
   * Reads a page of the tenant's sessions with their histories, newest first by default.
   *
   * @example
   * ```ts
   * const query = { labels: { user: 'u-1' }, historyLimit: 1 };
   * const { sessions: found, total } = await sessions.orThrow.list(query);
   * console.log(total, found[0]?.history[0]?.content); // 1 Bridges, mostly.
   * ```
   */
  list(query?: ListQuery): ResultAsync<R['list'], E['list']>;

  /**
   * Iterates over all of the tenant's sessions, page by page with a cursor. A session that exists
   * during the whole iteration is yielded exactly once. A session that cannot be read is yielded as
   * the error `corrupt_record`; any other error is the last item. Never throws.
   *
   * @example
   * ```ts
   * let seconds = 0;
   * for await (const item of sessions.each({ labels: { user: 'u-1' }, historyLimit: 0 })) {
   *   if (item.isOk()) seconds += item.value.duration;
   *   else console.error(item.error.message);
   * }
   * ```
   */
  each(query?: EachQuery): AsyncIterable<Result<R['get'], E['each']>>;

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
   * Adds entries to the history of an ACTIVE or PAUSED session, all or none. The cost does not
   * depend on the history.
   *
   * @example
   * ```ts
   * const turn = [{ role: 'user', content: 'And a tunnel.' }];
   * const appended = await sessions.append(id, turn, { operationId: 'message-3' });
   * if (appended.isErr()) console.error(appended.error.message);
   * const again = await sessions.orThrow.append(id, turn, { operationId: 'message-3' });
   * console.log(again.repeated); // true
   * ```
   */
  append(
    id: string,
    entries: readonly NewHistoryEntry<T>[],
    options?: AppendOptions,
  ): ResultAsync<Appended, E['append']>;

  /**
   * Goes back in the history of an ACTIVE or PAUSED session, in one step: the history then has the
   * entries up to the position `to`, and after them `entries`. Reads no longer return the
   * superseded entries. With `to: 0`, it replaces the entire history. If the history does not end
   * at `ifPosition`, it fails with `history_moved`, and nothing is changed.
   *
   * @example
   * ```ts
   * const { position } = await sessions.orThrow.history(id);
   * const summary = [{ role: 'system', content: 'She builds bridges.' }];
   * await sessions.orThrow.rewind(id, { to: 0, entries: summary, ifPosition: position });
   * const { history } = await sessions.orThrow.get(id);
   * console.log(history.length); // 1
   * ```
   */
  rewind(id: string, input: RewindInput<T>): ResultAsync<Appended, E['rewind']>;

  /**
   * Puts a message at the end of the inbox, where it waits for a worker or a `reply`, in one step.
   * A PAUSED session accepts it, and its turn waits for `resume`. Safe to repeat with the same id:
   * the message is stored once. A different message with the same id fails with
   * `operation_mismatch`.
   *
   * @example
   * ```ts
   * const message = { id: 'm-1', content: 'And a tunnel.' };
   * const { state } = await sessions.orThrow.send(id, message);
   * console.log(state); // waiting
   * const again = await sessions.orThrow.send(id, message);
   * console.log(again.repeated); // true
   * ```
   */
  send(
    id: string,
    message: string | NewMessage,
    options?: SendOptions,
  ): ResultAsync<Sent, E['send']>;

  /**
   * The messages that wait, oldest first: as many as fit into `limits.pageBytes`, at least one.
   * `session.inbox` is the number of all.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, 'And a tunnel.');
   * const waiting = await sessions.orThrow.inbox(id);
   * console.log(waiting.map(({ content }) => content)); // [ 'And a tunnel.' ]
   * ```
   */
  inbox(id: string): ResultAsync<readonly Message[], E['inbox']>;

  /**
   * Withdraws messages that no turn has taken, in one step: all, or those with these ids, at most
   * 100. Returns them, and the ids of those that were taken before.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, { id: 'm-1', content: 'And a tunnel.' });
   * const { withdrawn, taken } = await sessions.orThrow.withdraw(id, ['m-1']);
   * console.log(withdrawn.length, taken.length); // 1 0
   * ```
   */
  withdraw(id: string, ids?: readonly string[]): ResultAsync<WithdrawnMessages, E['withdraw']>;

  /**
   * For workers without `createWorker`, in any language: stores what a turn has said so far, then
   * takes the messages that were sent since its claim, in one step.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, 'And a tunnel.');
   * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * const { fencingToken = 0 } = claimed[0]?.lease ?? {};
   * await sessions.orThrow.send(id, 'Two tunnels!');
   * const after = 'Let me see.';
   * const { messages } = await sessions.orThrow.take(id, { fencingToken, after, limit: 10 });
   * console.log(messages[0]?.content); // Two tunnels!
   * await sessions.orThrow.release(id, { fencingToken, done: true, entries: 'Two, then.' });
   * ```
   */
  take(id: string, input: TakeInput): ResultAsync<TakenMessages, E['take']>;

  /**
   * Waits for the answer to a message that was sent. Fails with `not_answered` after `timeoutMs`,
   * or if the session is over; the message stays. Fails with `page_too_large` if the answer exceeds
   * `limits.pageBytes`: read it with `history`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, { id: 'm-1', content: 'And a tunnel.' });
   * const { signal } = new AbortController(); // for example of a request
   * const answered = await sessions.answer(id, 'm-1', { timeoutMs: 0, signal }); // no worker runs
   * console.log(answered.isErr() && answered.error.type); // not_answered
   * ```
   */
  answer(id: string, messageId: string, options?: AnswerOptions): ResultAsync<Reply, E['answer']>;

  /**
   * Leases a session that has not ended, so that two workers do not answer in one conversation. If
   * another holder has the session, it fails with `leased`. Pass the `fencingToken` to `append` and
   * to commands: they fail with `lease_lost` once the lease is over, even if this process was
   * suspended in between. Calls without one are not checked. Each lease has a higher token than
   * earlier leases. If the same holder already has the session, for example a worker that was
   * restarted under its name, the new lease replaces the earlier lease. A lease ends at its time
   * without a write, and with `await using` at the end of the block.
   *
   * @example
   * ```ts
   * await using lease = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const { fencingToken } = lease;
   * const answer = [{ role: 'assistant', content: 'Which one was the longest?' }];
   * await sessions.orThrow.append(id, answer, { fencingToken });
   * const other = await sessions.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isErr() && other.error.type); // leased
   * ```
   */
  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, E['lease']>;

  /**
   * Moves the end of a lease to `seconds` from now. Never takes a lease: if `fencingToken` is not
   * that of the current lease, it fails with `lease_lost`, and after the end of the session with
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const renewed = await sessions.renew(id, { fencingToken, seconds: 30 });
   * if (renewed.isErr()) console.error('Stop: another worker may have the session.');
   * ```
   */
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, E['renew']>;

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

  /**
   * Makes a session wait for a worker, now or from a time on: `claim` then returns it. If it
   * already waits for one, the earlier time counts. An ended session fails with
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const inAnHour = new Date(Date.now() + 3_600_000);
   * await sessions.orThrow.wake(id, { at: inAnHour }); // the earlier time counts
   * ```
   */
  wake(id: string, options?: WakeOptions): ResultAsync<void, E['wake']>;

  /**
   * Leases the tenant's sessions that wait for a worker, the longest waiting first, at most
   * `limit`. No two callers get the same session at the same time. A session no longer waits for a
   * worker once it is released with `done`, unless it was woken after the claim. If it is released
   * without `done`, or if the lease expires because the worker has crashed, it waits again, until
   * the maximum of `attempts` is reached. Any lease holds off claims until it ends.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * for (const { session, lease } of claimed) {
   *   await sessions.orThrow.append(session.id, [{ role: 'assistant', content: 'Still there?' }]);
   *   await sessions.orThrow.release(session.id, { fencingToken: lease.fencingToken, done: true });
   * }
   * ```
   */
  claim(input: ClaimInput): ResultAsync<R['claim'], E['claim']>;

  /**
   * Counts the tenant's sessions that a worker could claim now, up to 10000: those that wait,
   * without those that a worker has. A host can scale its workers by it.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 1
   * ```
   */
  countWaiting(): ResultAsync<WaitingCount, E['countWaiting']>;

  /**
   * Cancels the work on a session: ends its lease, if there is one, and the session no longer waits
   * for a worker. Calls with the token of that lease fail with `cancelled`, and the `signal` of its
   * holder is aborted: immediately in a worker of `createWorker` if the store has events, otherwise
   * at the next renewal. The session itself goes on. Succeeds without a change if there is nothing
   * to cancel.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * await sessions.orThrow.cancel(id, { reason: 'the caller has hung up' });
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 0
   * ```
   */
  cancel(id: string, options?: CancelOptions): ResultAsync<void, E['cancel']>;

  /**
   * Ends a lease. Also succeeds if the lease was already over and no other lease followed. After a
   * claim that is released without `done`, the session waits for a worker again after a delay,
   * which doubles with each attempt from about a second to five minutes.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * await sessions.orThrow.release(id, { fencingToken });
   * const other = await sessions.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isOk()); // true
   * ```
   */
  release(id: string, input: ReleaseInput): ResultAsync<Released, E['release']>;

  /**
   * Immediately erases the content, `id` and `data` of entries from the store, also of superseded
   * entries. Their positions, roles and times stay. `positions` are 1 to 1000 positions that
   * `history` returned. Allowed in any status.
   *
   * @example
   * ```ts
   * const { entries } = await sessions.orThrow.history(id, { last: 1 });
   * const positions = entries.map(({ position }) => position);
   * await sessions.orThrow.redact(id, positions);
   * const { history } = await sessions.orThrow.get(id);
   * console.log(history.map(({ content }) => content)); // [ 'What do you build?', '' ]
   * ```
   */
  redact(id: string, positions: readonly number[]): ResultAsync<void, E['redact']>;

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

  /**
   * Watches a session: yields a snapshot, then what has changed and the new entries, until the
   * session has ended or is deleted. No entry is missing or repeated; changes that follow each
   * other closely are combined. After a rewind or a redaction, it yields a snapshot again. A lease
   * alone is no change. With the `cursor` of an item, it continues after that item, however old it
   * is. It yields an end by the clock at the deadline, even if no sweep has stored it. An error is
   * the last item: `misconfigured` if the store has no events, `not_found` if there is no such
   * session, `store_unavailable` if the store's client was closed. The watch ends immediately if
   * the signal is aborted, the loop is left, or a block with `await using` ends. Nothing is read
   * before the first `next`. Never throws.
   *
   * @example
   * ```ts
   * for await (const item of sessions.watch(id)) {
   *   if (item.isErr()) break;
   *   const change = item.value;
   *   if (change.type === 'session.snapshot') console.log(change.session.history.length); // 2
   *   if (change.type === 'session.changed') console.log(change.entries[0]?.content); // Bye!
   *   if (change.type === 'session.changed') break;
   *   await sessions.append(id, [{ role: 'user', content: 'Bye!' }]);
   * }
   * ```
   */
  watch(
    id: string,
    options?: SharedWatchOptions,
  ): AsyncIterable<Result<R['watch'], E['watch']>> & AsyncDisposable;
}
