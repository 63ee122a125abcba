import { err, type Result, ResultAsync } from 'neverthrow';
import { SafeIterator } from '../events/safe-iterator.js';
import { SessionWatch } from '../events/session-watch.js';
import { TenantWatch } from '../events/tenant-watch.js';
import { parseId } from '../input/command-inputs.js';
import type { InputPolicy } from '../input/input-policy.js';
import { parseEachQuery } from '../input/list-query.js';
import { parseWatch, parseWatchAll } from '../input/watch-options.js';
import type { Clock } from '../session/clock.js';
import type { InvalidInput, SessionError, StoreUnavailable } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type {
  CreatedSession,
  Session,
  SessionLease,
  SessionState,
  TakenLease,
} from '../session/session.js';
import type {
  SessionChange,
  TenantChange,
  WatchAllOptions,
  WatchOptions,
} from '../session/session-event.js';
import {
  type HeldLease,
  type ReturnedError,
  type ReturnedValue,
  takenLease,
  withLease,
} from '../session/with-lease.js';
import type { Answer, SessionKey } from '../store/session-store.js';
import {
  type AppendOptions,
  appendHistory,
  type NewHistoryEntry,
  type RewindInput,
  redactEntries,
  rewindHistory,
} from './change-history.js';
import {
  changeSession,
  type ExtendInput,
  extendSession,
  type OperationOptions,
  startSession,
} from './change-session.js';
import { type ClaimInput, claimSessions, countWaiting } from './claim-sessions.js';
import { type CreateOptions, type CreateSessionInput, createSession } from './create-session.js';
import { deleteSession } from './delete-session.js';
import { drainService } from './drain-service.js';
import { type GetOrCreateInput, getOrCreate } from './get-or-create.js';
import {
  type EachQuery,
  eachSession,
  type ListOptions,
  type ListQuery,
  listSessions,
} from './list-sessions.js';
import type {
  Appended,
  Claims,
  GetOrCreateResult,
  HistoryPart,
  OperationName,
  OperationResults,
  SessionPage,
  Sweep,
  WaitingCount,
} from './operation-results.js';
import { type OrThrow, orThrowOf } from './or-throw.js';
import { type GetOptions, type HistoryQuery, readHistory, readSession } from './read-session.js';
import { runOperation } from './run-operation.js';
import {
  type CancelOptions,
  cancelWork,
  type LeaseInput,
  leaseSession,
  type ReleaseInput,
  type RenewInput,
  releaseSession,
  renewLease,
  type WakeOptions,
  wakeSession,
} from './session-work.js';
import {
  brandOf,
  forTenant,
  isSettings,
  parseSettings,
  SETTINGS,
  type SessionServiceOptions,
  type Settings,
  withFence,
} from './settings.js';
import { type SweepOptions, sweepSessions } from './sweep-sessions.js';
import { type UpdateInput, type UpdateOptions, updateSession } from './update-session.js';

/**
 * The settings of a service, for the parts of the engine that are built on it; undefined if it is
 * no service.
 */
export const settingsOf = (sessions: unknown): Settings | undefined => {
  const settings = brandOf(sessions);
  return isSettings(settings) ? settings : undefined;
};

/**
 * Creates, changes, reads and lists the sessions of one tenant. Every operation returns a
 * `ResultAsync`; none throws or rejects, even for invalid arguments or a faulty store. In the
 * examples of the operations, `id` is an ACTIVE session with two entries: a question, and the
 * answer "Bridges, mostly."
 *
 * @example
 * ```ts
 * const sessions = new SessionService({ store: new MemorySessionStore() });
 * const created = await sessions.create({ face: 'ada', profile: 'interviewer', start: true });
 * if (created.isErr()) throw new Error(created.error.message);
 * const { id } = created.value;
 * await sessions.append(id, [{ role: 'user', content: 'I build bridges.' }]);
 * const { history } = await sessions.orThrow.get(id);
 * console.log(history.length); // 1
 * ```
 */
export class SessionService {
  readonly #settings: Settings;

  static {
    // Defined here, so that the declarations of the package do not contain it.
    Object.defineProperty(SessionService.prototype, SETTINGS, {
      get(this: SessionService) {
        return #settings in this ? this.#settings : undefined;
      },
    });
  }

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SessionServiceOptions) {
    this.#settings = isSettings(options) ? options : parseSettings(options);
  }

  /**
   * The clock that the service was given, or that of the machine.
   *
   * @example
   * ```ts
   * const { endsAt } = await sessions.orThrow.get(id);
   * const secondsLeft = endsAt ? (Date.parse(endsAt) - sessions.clock.now()) / 1000 : Infinity;
   * ```
   */
  get clock(): Clock {
    return this.#settings.clock;
  }

  /**
   * The limits, faces and profiles that this service allows.
   *
   * @example
   * ```ts
   * console.log(sessions.policy.limits.contentBytes); // 262144
   * ```
   */
  get policy(): InputPolicy {
    return this.#settings.policy;
  }

  /**
   * The same service for another tenant. A tenant has 1 to 256 characters of any kind; with any
   * other value every operation returns `invalid_input`.
   *
   * @example
   * ```ts
   * const found = await sessions.forTenant('globex').get(id); // a session of the tenant acme
   * console.log(found.isErr() && found.error.type); // not_found
   * ```
   */
  forTenant(tenant: string): SessionService {
    return sessionsOf(forTenant(this.#settings, tenant));
  }

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
  get orThrow(): OrThrow<SessionService> {
    return orThrowOf<SessionService>(this);
  }

  /**
   * Creates a session in the status IDLE. `start`, `entries` and `from` also start, fill and fork
   * it, in one step: all of this is done, or nothing.
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
   * else console.log(created.value.status); // IDLE
   * ```
   */
  create(
    input: CreateSessionInput,
    options: CreateOptions = {},
  ): ResultAsync<CreatedSession, OperationErrors['create']> {
    return this.#run('create', createSession, input, options);
  }

  /**
   * Reads the session with an id of the caller's own, whatever its options and its status, or
   * creates and starts it. `created` says which. Of several calls at the same time, one creates the
   * session and all get it.
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
  getOrCreate(
    input: GetOrCreateInput,
    options: CreateOptions = {},
  ): ResultAsync<GetOrCreateResult, OperationErrors['getOrCreate']> {
    return this.#run('getOrCreate', getOrCreate, input, options);
  }

  /**
   * Reads a session with its history.
   *
   * @example
   * ```ts
   * const found = await sessions.get(id);
   * if (found.isErr()) console.error(found.error.type);
   * else console.log(found.value.status, found.value.history.length); // ACTIVE 2
   * ```
   */
  get(id: string, options: GetOptions = {}): ResultAsync<Session, OperationErrors['get']> {
    return this.#runOn('get', id, readSession, options);
  }

  /**
   * Reads a part of a history: the last entries, those after a position, or those before one. The
   * cost depends on the part, not on the length of the history. A position that is not in this
   * history is `invalid_input`.
   *
   * @example
   * ```ts
   * const { entries, start, position } = await sessions.orThrow.history(id, { last: 20 });
   * console.log(entries.at(-1)?.content); // Bridges, mostly.
   * const older = await sessions.orThrow.history(id, { before: start });
   * const newer = await sessions.orThrow.history(id, { after: position });
   * ```
   */
  history(
    id: string,
    query: HistoryQuery = {},
  ): ResultAsync<HistoryPart, OperationErrors['history']> {
    return this.#runOn('history', id, readHistory, query);
  }

  /**
   * Reads a page of the tenant's sessions with their histories, newest first by default. With
   * `withWatchCursor`, `watchAll` can continue after it without a gap.
   *
   * @example
   * ```ts
   * const query = { labels: { user: 'u-1' }, historyLimit: 1 };
   * const { sessions: found, total } = await sessions.orThrow.list(query);
   * console.log(total, found[0]?.history[0]?.content); // 1 Bridges, mostly.
   * ```
   */
  list(
    query: ListQuery = {},
    options: ListOptions = {},
  ): ResultAsync<SessionPage, OperationErrors['list']> {
    return this.#run('list', listSessions, query, options);
  }

  /**
   * Iterates over all of the tenant's sessions, page by page with a cursor. A session that exists
   * during the whole iteration is yielded exactly once. A session that cannot be read is a
   * `corrupt_record` item; any other error is the last item. Never throws.
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
  each(query: EachQuery = {}): AsyncIterable<Result<Session, OperationErrors['each']>> {
    return eachSession(this.#settings, parseEachQuery(query));
  }

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
  start(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['start']> {
    return this.#runOn('start', id, startSession, options);
  }

  /**
   * ACTIVE to PAUSED. A pause does not count towards the time limit.
   *
   * @example
   * ```ts
   * const { status } = await sessions.orThrow.pause(id); // the caller is put on hold
   * console.log(status); // PAUSED
   * ```
   */
  pause(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['pause']> {
    return this.#runOn('pause', id, changeSession, 'pause', options);
  }

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
  resume(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['resume']> {
    return this.#runOn('resume', id, changeSession, 'resume', options);
  }

  /**
   * Sets a new time limit, higher or lower than before, of a session that has not ended. It
   * includes the seconds already used: a limit that is not higher than these is `invalid_input`.
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
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['extend']> {
    return this.#runOn('extend', id, extendSession, input, options);
  }

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
   * console.log(labels['title']); // Bridges
   * ```
   */
  update(
    id: string,
    input: UpdateInput,
    options: UpdateOptions = {},
  ): ResultAsync<SessionState, OperationErrors['update']> {
    return this.#runOn('update', id, updateSession, input, options);
  }

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
  terminate(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['terminate']> {
    return this.#runOn('terminate', id, changeSession, 'terminate', options);
  }

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
  fail(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['fail']> {
    return this.#runOn('fail', id, changeSession, 'fail', options);
  }

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
    entries: readonly NewHistoryEntry[],
    options: AppendOptions = {},
  ): ResultAsync<Appended, OperationErrors['append']> {
    return this.#runOn('append', id, appendHistory, entries, options);
  }

  /**
   * Goes back in the history of an ACTIVE or PAUSED session, in one step: the history then has the
   * entries up to the position `to`, and after them `entries`. No read returns the superseded
   * entries any more. With `to: 0`, it replaces the whole history. If the history does not end at
   * `ifPosition`, the error is `history_moved`, and nothing is changed.
   *
   * @example
   * ```ts
   * const { position } = await sessions.orThrow.history(id);
   * const summary = [{ role: 'system', content: 'She builds bridges.' }];
   * await sessions.orThrow.rewind(id, { to: 0, entries: summary, ifPosition: position });
   * const { historyCount } = await sessions.orThrow.get(id);
   * console.log(historyCount); // 1
   * ```
   */
  rewind(id: string, input: RewindInput): ResultAsync<Appended, OperationErrors['rewind']> {
    return this.#runOn('rewind', id, rewindHistory, input);
  }

  /**
   * Leases a session that has not ended, so that two workers do not answer in one conversation. If
   * another holder has the session, the error is `leased`. Pass the `fencingToken` to `append` and
   * to commands: they are `lease_lost` once the lease is over, even if this process was suspended
   * in between. Calls without one are not checked. Every lease has a higher token than the ones
   * before. If the same holder already has the session, such as a worker that was restarted under
   * its name, the new lease replaces the earlier one. A lease ends at its time without a write, and
   * with `await using` at the end of the block.
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
  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, OperationErrors['lease']> {
    const taken = this.#runOn('lease', id, leaseSession, input);
    return taken.map((lease) =>
      takenLease(lease, ({ fencingToken }) => this.release(id, { fencingToken })),
    );
  }

  /**
   * Moves the end of a lease to `seconds` from now. Never takes a lease: if `fencingToken` is not
   * that of the current lease, the error is `lease_lost`, and after the end of the session
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const renewed = await sessions.renew(id, { fencingToken, seconds: 30 });
   * if (renewed.isErr()) console.error('Stop: another worker may have the session.');
   * ```
   */
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, OperationErrors['renew']> {
    return this.#runOn('renew', id, renewLease, input);
  }

  /**
   * Leases a session while `use` runs: renews the lease after each third of its length, by the
   * clock of the service, and releases it at the end. `use` gets `sessions`, this service with the
   * token of the lease in its appends and commands on the session. Returns the value of `use`, or
   * its result if it returns one; `callback_failed` if `use` throws or rejects; and `lease_lost` in
   * place of a value if the lease was lost before `use` had finished. `signal` is aborted as soon
   * as that is known, and when the session has ended: an error of `use` is then still its own, and
   * the reason of the signal, if `use` throws that. If the session cannot be leased, `use` is not
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
  withLease<T>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionService>) => T,
  ): ResultAsync<
    ReturnedValue<Awaited<T>>,
    OperationErrors['withLease'] | ReturnedError<Awaited<T>>
  > {
    const { now, after } = this.#settings;
    const operations = {
      sessions: (fencingToken: number) =>
        sessionsOf(withFence(this.#settings, { id, fencingToken })),
      lease: () => this.lease(id, input),
      renew: (fencingToken: number, seconds: number) => this.renew(id, { fencingToken, seconds }),
      release: (fencingToken: number) => this.release(id, { fencingToken }),
    };
    // If the clock fails, the lease counts as lost.
    const clock = { now: () => now().unwrapOr(Number.POSITIVE_INFINITY), after };
    return new ResultAsync(withLease(operations, clock, input, use));
  }

  /**
   * Makes a session wait for a worker, now or from a time on: `claim` then returns it. If it
   * already waits for one, the earlier time counts. A session that has ended is
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const inAnHour = new Date(Date.now() + 3_600_000);
   * await sessions.orThrow.wake(id, { at: inAnHour }); // the earlier time counts
   * ```
   */
  wake(id: string, options: WakeOptions = {}): ResultAsync<void, OperationErrors['wake']> {
    return this.#runOn('wake', id, wakeSession, options);
  }

  /**
   * Leases the tenant's sessions that wait for a worker, the longest waiting first, at most
   * `limit`. No two callers get the same session at the same time. A session no longer waits for a
   * worker once it is released with `done`, unless it was woken after the claim. If it is released
   * without, or if the lease runs out because the worker has crashed, it waits again, until the
   * maximum of `attempts` is reached. A lease of anybody holds off claims until it ends.
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
  claim(input: ClaimInput): ResultAsync<Claims, OperationErrors['claim']> {
    return this.#run('claim', claimSessions, this.#settings.tenant, input);
  }

  /**
   * The same for the sessions of all tenants, each tenant in its turn: `forTenant(tenant)` has the
   * operations for a claimed session. For a worker of the host's own, never for the request of one
   * tenant.
   *
   * @example
   * ```ts
   * const { claimed } = await sessions.orThrow.claimAny({ holder: 'worker-1', seconds: 30 });
   * for (const { tenant, session, lease } of claimed) {
   *   const theirs = sessions.forTenant(tenant);
   *   await theirs.release(session.id, { fencingToken: lease.fencingToken, done: true });
   * }
   * ```
   */
  claimAny(input: ClaimInput): ResultAsync<Claims, OperationErrors['claimAny']> {
    return this.#run('claimAny', claimSessions, undefined, input);
  }

  /**
   * Counts the tenant's sessions that a worker could claim now, up to 10000: those that wait,
   * without those that a worker has. A host can add workers by it.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 1
   * ```
   */
  countWaiting(): ResultAsync<WaitingCount, OperationErrors['countWaiting']> {
    return this.#run('countWaiting', countWaiting, this.#settings.tenant);
  }

  /**
   * The same for the sessions of all tenants. For the host's own use, never for the request of one
   * tenant.
   *
   * @example
   * ```ts
   * const { count, limit } = await sessions.orThrow.countWaitingAny();
   * console.log(count < limit ? `${count} wait` : `${limit} or more wait`); // 0 wait
   * ```
   */
  countWaitingAny(): ResultAsync<WaitingCount, OperationErrors['countWaitingAny']> {
    return this.#run('countWaitingAny', countWaiting, undefined);
  }

  /**
   * Cancels the work on a session: ends the lease on it, if there is one, and the session waits for
   * no worker any more. Calls with the token of that lease are `cancelled`, and the `signal` of its
   * holder is aborted: at once in a worker of `createWorker` if the store has events, otherwise at
   * the next renewal. The session itself goes on. Succeeds without a change if there is nothing to
   * cancel.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * await sessions.orThrow.cancel(id, { reason: 'the caller has hung up' });
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 0
   * ```
   */
  cancel(id: string, options: CancelOptions = {}): ResultAsync<void, OperationErrors['cancel']> {
    return this.#runOn('cancel', id, cancelWork, options);
  }

  /**
   * Ends a lease. Also succeeds if the lease was already over and no other one followed. Of a claim
   * without `done`: the session waits for a worker again after a delay, which doubles with each
   * attempt from about a second to five minutes.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * await sessions.orThrow.release(id, { fencingToken });
   * const { lease } = await sessions.orThrow.get(id);
   * console.log(lease); // undefined
   * ```
   */
  release(id: string, input: ReleaseInput): ResultAsync<void, OperationErrors['release']> {
    return this.#runOn('release', id, releaseSession, input);
  }

  /**
   * Erases the content, `id` and `data` of entries from the store at once, also of superseded
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
  redact(id: string, positions: readonly number[]): ResultAsync<void, OperationErrors['redact']> {
    return this.#runOn('redact', id, redactEntries, positions);
  }

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
  delete(id: string): ResultAsync<void, OperationErrors['delete']> {
    return this.#runOn('delete', id, deleteSession);
  }

  /**
   * Watches a session: yields a snapshot, then what has changed and the new entries, until the
   * session has ended or is deleted. No entry is missing and none comes twice; changes that follow
   * each other closely come as one. After a rewind or a redaction, it yields a snapshot again. A
   * lease alone is no change, unless you set `leases`. With `cursor`, that of an item, it continues
   * after that item, however old it is. An end by the clock is yielded at the deadline, even if no
   * sweep has stored it. An error is the last item: `misconfigured` if the store has no events,
   * `not_found` if there is no such session, `store_unavailable` if the store's client was closed.
   * Aborting the signal ends the iteration at once, and so does the end of a block with `await
   * using`. Nothing is read before the first `next`. Never throws.
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
    options: WatchOptions = {},
  ): AsyncIterable<Result<SessionChange, OperationErrors['watch']>> & AsyncDisposable {
    return this.#iterate((settings) =>
      parseId(id).andThen((read) =>
        parseWatch(options).map(
          (how) => new SessionWatch(settings, { tenant: settings.tenant, id: read }, how),
        ),
      ),
    );
  }

  /**
   * Watches all of the tenant's sessions, from this call or from a cursor: yields each logged
   * change once, in order for each session, or `events_lost` where events are missing. A page of
   * `list` has a cursor that leaves no gap. An end by the clock comes with the next sweep. An error
   * is the last item. `await using` ends it. Never throws.
   *
   * @example
   * ```ts
   * for await (const item of sessions.watchAll({ cursor: '0' })) {
   *   if (item.isErr()) break;
   *   console.log(item.value.type); // session.created
   *   break;
   * }
   * ```
   */
  watchAll(
    options: WatchAllOptions = {},
  ): AsyncIterable<Result<TenantChange, OperationErrors['watchAll']>> & AsyncDisposable {
    const calledAt = performance.now();
    return this.#iterate((settings) =>
      parseWatchAll(options).map((how) => new TenantWatch(settings, how, calledAt)),
    );
  }

  /**
   * Settles when no operation of this service is under way, of any tenant, and its store needs its
   * client or database no more: close that then. Stop servers, workers, sweepers and watches
   * before, because `drain` stops nothing: it waits as long as they call operations, and an
   * operation that begins afterwards is not waited for. Operations of other services on the same
   * store are waited for only while the store works on them. `store_unavailable` if the store
   * rejects.
   *
   * @example
   * ```ts
   * const later = sessions.append(id, [{ role: 'user', content: 'Bye!' }]);
   * await sessions.drain(); // then close the client or database
   * console.log((await later).isOk()); // true
   * ```
   */
  drain(): ResultAsync<void, StoreUnavailable> {
    return new ResultAsync(drainService(this.#settings));
  }

  /**
   * Sweeps the sessions of all tenants, at most `limit`, from 1; above 10000 it counts as 10000:
   * stores the end of sessions that the clock has ended, reports ended sessions to `onEnded`, and
   * deletes sessions after their retention. One sweep covers a part of a large store; pass its
   * `nextCursor` as `cursor` to continue. `createSweeper` calls it repeatedly.
   *
   * @example
   * ```ts
   * const { ended, deleted } = await sessions.orThrow.sweep();
   * console.log(ended.length, deleted.length); // 0 0
   * ```
   */
  sweep(limit = 500, options: SweepOptions = {}): ResultAsync<Sweep, OperationErrors['sweep']> {
    return this.#run('sweep', sweepSessions, limit, options);
  }

  #run<N extends OperationName, E extends SessionError, I extends readonly unknown[]>(
    name: N,
    execute: (settings: Settings, ...input: I) => Answer<OperationResults[N], E>,
    ...input: I
  ): ResultAsync<OperationResults[N], E | InvalidInput | StoreUnavailable> {
    return runOperation(this.#settings, name, () => execute(this.#settings, ...input));
  }

  /** Runs an operation on one session. */
  #runOn<N extends OperationName, E extends SessionError, I extends readonly unknown[]>(
    name: N,
    id: string,
    execute: (
      settings: Settings,
      key: SessionKey,
      ...input: I
    ) => Answer<OperationResults[N], E | InvalidInput>,
    ...input: I
  ): ResultAsync<OperationResults[N], E | InvalidInput | StoreUnavailable> {
    const { tenant } = this.#settings;
    const operation = (): Answer<OperationResults[N], E | InvalidInput> => {
      const read = parseId(id);
      if (read.isErr()) return err(read.error);
      return execute(this.#settings, { tenant, id: read.value }, ...input);
    };
    return runOperation(this.#settings, name, operation, id);
  }

  #iterate<T>(
    begin: (
      settings: Settings,
    ) => Result<AsyncIterator<Result<T, OperationErrors['watch']>, void>, InvalidInput>,
  ): AsyncIterable<Result<T, OperationErrors['watch']>> & AsyncDisposable {
    const { tenantError } = this.#settings;
    return new SafeIterator(() => {
      if (tenantError !== undefined) return err(tenantError);
      return begin(this.#settings);
    });
  }
}

/** The service of these settings. */
export const sessionsOf = (settings: Settings): SessionService =>
  settings.make(() => new SessionService(settings));
