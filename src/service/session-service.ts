import { err, type Result, ResultAsync } from 'neverthrow';
import { SafeIterator } from '../events/safe-iterator.js';
import { SessionWatch } from '../events/session-watch.js';
import { TenantWatch } from '../events/tenant-watch.js';
import type { InputPolicy } from '../input/input-policy.js';
import { parseEachQuery } from '../input/parse-list-query.js';
import { parseWatch, parseWatchAll } from '../input/parse-watch.js';
import { parseId } from '../input/session-input.js';
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
import type { CallerCommand } from '../session/session-status.js';
import { takenLease } from '../session/taken-lease.js';
import {
  type HeldLease,
  type ReturnedError,
  type ReturnedValue,
  withLease,
} from '../session/with-lease.js';
import type { Answer, SessionKey } from '../store/session-store.js';
import { type AppendOptions, appendHistory, type NewHistoryEntry } from './append-history.js';
import { type CancelOptions, cancelWork } from './cancel-work.js';
import { changeSession, type OperationOptions, startSession } from './change-session.js';
import { type ClaimInput, claimSessions } from './claim-sessions.js';
import { countWaiting } from './count-waiting.js';
import { type CreateOptions, type CreateSessionInput, createSession } from './create-session.js';
import { deleteSession } from './delete-session.js';
import { type ExtendInput, extendSession } from './extend-session.js';
import { type GetOrCreateInput, getOrCreate } from './get-or-create.js';
import { type GetOptions, readSession } from './get-session.js';
import {
  type LeaseInput,
  leaseSession,
  type ReleaseInput,
  type RenewInput,
  releaseSession,
  renewLease,
} from './lease-session.js';
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
import { type HistoryQuery, readHistory } from './read-history.js';
import { redactEntries } from './redact-entries.js';
import { type RewindInput, rewindHistory } from './rewind-history.js';
import { type OperationCall, runOperation } from './run-operation.js';
import {
  forTenant,
  isSettings,
  parseSettings,
  type SessionServiceOptions,
  type Settings,
  withFence,
} from './settings.js';
import { type SweepOptions, sweepSessions } from './sweep-sessions.js';
import { type UpdateInput, type UpdateOptions, updateSession } from './update-session.js';
import { type WakeOptions, wakeSession } from './wake-session.js';

/**
 * The settings of a service, for the parts of the engine that are built on it; undefined if it is
 * no service.
 */
export let settingsOf: (sessions: unknown) => Settings | undefined;

/**
 * Creates, changes, reads and lists the sessions of one tenant. Every operation returns a
 * `ResultAsync`; none throws or rejects, even for invalid arguments or a faulty store.
 */
export class SessionService {
  readonly #settings: Settings;

  static {
    settingsOf = (sessions) => {
      const isService = typeof sessions === 'object' && sessions !== null && #settings in sessions;
      return isService ? sessions.#settings : undefined;
    };
  }

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SessionServiceOptions) {
    this.#settings = isSettings(options) ? options : parseSettings(options);
  }

  /** The clock that the service was given, or that of the machine. */
  get clock(): Clock {
    return this.#settings.clock;
  }

  /** The limits, faces and profiles that this service allows. */
  get policy(): InputPolicy {
    return this.#settings.policy;
  }

  /**
   * The same service for another tenant. A tenant has 1 to 256 characters of any kind; with any
   * other value every operation returns `invalid_input`.
   */
  forTenant(tenant: string): SessionService {
    return sessionsOf(forTenant(this.#settings, tenant));
  }

  /**
   * The same operations as promises of their values, for `await` and `try`: an error rejects with a
   * `SessionFailure`. An iterable throws at its first error.
   */
  get orThrow(): OrThrow<SessionService> {
    return orThrowOf<SessionService>(this);
  }

  /**
   * Creates a session in the status IDLE. `start`, `entries` and `from` also start, fill and fork
   * it, in one step: all of this is done, or nothing.
   */
  create(
    input: CreateSessionInput,
    options: CreateOptions = {},
  ): ResultAsync<CreatedSession, OperationErrors['create']> {
    return runOperation(this.#settings, { name: 'create' }, () =>
      createSession(this.#settings, input, options),
    );
  }

  /**
   * Reads the session with an id of the caller's own, whatever its options and its status, or
   * creates and starts it. `created` says which. Of several calls at the same time, one creates the
   * session and all get it.
   */
  getOrCreate(
    input: GetOrCreateInput,
    options: CreateOptions = {},
  ): ResultAsync<GetOrCreateResult, OperationErrors['getOrCreate']> {
    return runOperation(this.#settings, { name: 'getOrCreate' }, () =>
      getOrCreate(this.#settings, input, options),
    );
  }

  /** Reads a session with its history. */
  get(id: string, options: GetOptions = {}): ResultAsync<Session, OperationErrors['get']> {
    return this.#runOn({ name: 'get', id, outcome: 'not_applied' }, (settings, key) =>
      readSession(settings, key, options),
    );
  }

  /**
   * Reads a part of a history: the last entries, those after a position, or those before one. The
   * cost depends on the part, not on the length of the history. A position that is not in this
   * history is `invalid_input`.
   */
  history(
    id: string,
    query: HistoryQuery = {},
  ): ResultAsync<HistoryPart, OperationErrors['history']> {
    return this.#runOn({ name: 'history', id, outcome: 'not_applied' }, (settings, key) =>
      readHistory(settings, key, query),
    );
  }

  /**
   * Reads a page of the tenant's sessions with their histories, newest first by default. With
   * `withWatchCursor`, `watchAll` can continue after it without a gap.
   */
  list(
    query: ListQuery = {},
    options: ListOptions = {},
  ): ResultAsync<SessionPage, OperationErrors['list']> {
    return runOperation(this.#settings, { name: 'list', outcome: 'not_applied' }, () =>
      listSessions(this.#settings, query, options),
    );
  }

  /**
   * Iterates over all of the tenant's sessions, page by page with a cursor. A session that exists
   * during the whole iteration is yielded exactly once. A session that cannot be read is a
   * `corrupt_record` item; any other error is the last item. Never throws.
   */
  each(query: EachQuery = {}): AsyncIterable<Result<Session, OperationErrors['each']>> {
    return eachSession(this.#settings, parseEachQuery(query));
  }

  /** IDLE to ACTIVE. The time limit begins to run. */
  start(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['start']> {
    return this.#runOn({ name: 'start', id }, (settings, key) =>
      startSession(settings, key, options),
    );
  }

  /** ACTIVE to PAUSED. A pause does not count towards the time limit. */
  pause(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['pause']> {
    return this.#change(id, 'pause', options);
  }

  /** PAUSED to ACTIVE. The time limit continues to run. */
  resume(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['resume']> {
    return this.#change(id, 'resume', options);
  }

  /**
   * Sets a new time limit, higher or lower than before, of a session that has not ended. It
   * includes the seconds already used: a limit that is not higher than these is `invalid_input`.
   */
  extend(
    id: string,
    input: ExtendInput,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['extend']> {
    return this.#runOn({ name: 'extend', id }, (settings, key) =>
      extendSession(settings, key, input, options),
    );
  }

  /**
   * Sets and removes labels and metadata of a session in any status, in one step; the others stay.
   * `update(id, { labels: { title: 'Tax return', draft: null } })` sets `title` and removes
   * `draft`. Concurrent updates are all applied; with `ifRevision`, only one that knows the latest.
   * An update that changes nothing writes nothing. It is no activity: it moves neither `updatedAt`
   * nor the inactivity timeout.
   */
  update(
    id: string,
    input: UpdateInput,
    options: UpdateOptions = {},
  ): ResultAsync<SessionState, OperationErrors['update']> {
    return this.#runOn({ name: 'update', id }, (settings, key) =>
      updateSession(settings, key, input, options),
    );
  }

  /**
   * Ends the session with the reason `terminated`. Succeeds without a change if the session has
   * ended.
   */
  terminate(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['terminate']> {
    return this.#change(id, 'terminate', options);
  }

  /**
   * Ends the session with the reason `failed`. Succeeds without a change if the session has ended.
   */
  fail(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['fail']> {
    return this.#change(id, 'fail', options);
  }

  /**
   * Adds entries to the history of an ACTIVE or PAUSED session, all or none. The cost does not
   * depend on the history.
   */
  append(
    id: string,
    entries: readonly NewHistoryEntry[],
    options: AppendOptions = {},
  ): ResultAsync<Appended, OperationErrors['append']> {
    return this.#runOn({ name: 'append', id }, (settings, key) =>
      appendHistory(settings, key, entries, options),
    );
  }

  /**
   * Goes back in the history of an ACTIVE or PAUSED session, in one step: the history then has the
   * entries up to the position `to`, and after them `entries`. No read returns the superseded
   * entries any more. `rewind(id, { to: 0, entries: summary, ifPosition })` replaces the whole
   * history by a summary. If the history does not end at `ifPosition`, the error is
   * `history_moved`, and nothing is changed.
   */
  rewind(id: string, input: RewindInput): ResultAsync<Appended, OperationErrors['rewind']> {
    return this.#runOn({ name: 'rewind', id }, (settings, key) =>
      rewindHistory(settings, key, input),
    );
  }

  /**
   * Leases a session that has not ended, so that two workers do not answer in one conversation. If
   * another holder has the session, the error is `leased`. Pass the `fencingToken` to `append` and
   * to commands: they are `lease_lost` once the lease is over, even if this process was suspended
   * in between. Calls without one are not checked. Every lease has a higher token than the ones
   * before. If the same holder already has the session, such as a worker that was restarted under
   * its name, the new lease replaces the earlier one. A lease ends at its time without a write, and
   * with `await using` at the end of the block.
   */
  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, OperationErrors['lease']> {
    const taken = this.#runOn({ name: 'lease', id }, (settings, key) =>
      leaseSession(settings, key, input),
    );
    return taken.map((lease) =>
      takenLease(lease, ({ fencingToken }) => this.release(id, { fencingToken })),
    );
  }

  /**
   * Moves the end of a lease to `seconds` from now. Never takes a lease: if `fencingToken` is not
   * that of the current lease, the error is `lease_lost`, and after the end of the session
   * `invalid_transition`.
   */
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, OperationErrors['renew']> {
    return this.#runOn({ name: 'renew', id }, (settings, key) => renewLease(settings, key, input));
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
   * Makes a session want a worker, now or from a time on: `claim` then returns it. If it already
   * wants one, the earlier time counts. A session that has ended is `invalid_transition`.
   */
  wake(id: string, options: WakeOptions = {}): ResultAsync<void, OperationErrors['wake']> {
    return this.#runOn({ name: 'wake', id }, (settings, key) =>
      wakeSession(settings, key, options),
    );
  }

  /**
   * Leases the tenant's sessions that want a worker, the longest waiting first, at most `limit`. No
   * two callers get the same session at the same time. A session no longer wants a worker once it
   * is released with `done`, unless it was woken after the claim. If it is released without, or if
   * the lease runs out because the worker has crashed, it wants one again, until the maximum of
   * `attempts` is reached. A lease of anybody holds off claims until it ends.
   */
  claim(input: ClaimInput): ResultAsync<Claims, OperationErrors['claim']> {
    return claimSessions(this.#settings, 'claim', input);
  }

  /**
   * The same for the sessions of all tenants, each tenant in its turn: `forTenant(tenant)` has the
   * operations for a claimed session. For a worker of the host's own, never for the request of one
   * tenant.
   */
  claimAny(input: ClaimInput): ResultAsync<Claims, OperationErrors['claimAny']> {
    return claimSessions(this.#settings, 'claimAny', input);
  }

  /**
   * Counts the tenant's sessions that a worker could claim now, up to 10000: those that wait,
   * without those that a worker has. A host can add workers by it.
   */
  countWaiting(): ResultAsync<WaitingCount, OperationErrors['countWaiting']> {
    return countWaiting(this.#settings, 'countWaiting');
  }

  /**
   * The same for the sessions of all tenants. For the host's own use, never for the request of one
   * tenant.
   */
  countWaitingAny(): ResultAsync<WaitingCount, OperationErrors['countWaitingAny']> {
    return countWaiting(this.#settings, 'countWaitingAny');
  }

  /**
   * Cancels the work on a session: ends the lease on it, if there is one, and the session wants no
   * worker any more. Calls with the token of that lease are `cancelled`, and the `signal` of its
   * holder is aborted: at once in a worker of `createWorker` if the store has events, otherwise at
   * the next renewal. The session itself goes on. Succeeds without a change if there is nothing to
   * cancel.
   */
  cancel(id: string, options: CancelOptions = {}): ResultAsync<void, OperationErrors['cancel']> {
    return this.#runOn({ name: 'cancel', id }, (settings, key) =>
      cancelWork(settings, key, options),
    );
  }

  /**
   * Ends a lease. Also succeeds if the lease was already over and no other one followed. Of a claim
   * without `done`: the session wants a worker again after a delay, which doubles with each attempt
   * from about a second to five minutes.
   */
  release(id: string, input: ReleaseInput): ResultAsync<void, OperationErrors['release']> {
    return this.#runOn({ name: 'release', id }, (settings, key) =>
      releaseSession(settings, key, input),
    );
  }

  /**
   * Erases the content, `id` and `data` of entries from the store at once, also of superseded
   * entries. Their positions, roles and times stay. `positions` are 1 to 1000 positions that
   * `history` returned. Allowed in any status.
   */
  redact(id: string, positions: readonly number[]): ResultAsync<void, OperationErrors['redact']> {
    return this.#runOn({ name: 'redact', id }, (settings, key) =>
      redactEntries(settings, key, positions),
    );
  }

  /** Deletes the session. Also succeeds if it does not exist. */
  delete(id: string): ResultAsync<void, OperationErrors['delete']> {
    return this.#runOn({ name: 'delete', id }, deleteSession);
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
   * Sweeps the sessions of all tenants, at most `limit`, from 1; above 10000 it counts as 10000:
   * stores the end of sessions that the clock has ended, reports ended sessions to `onEnded`, and
   * deletes sessions after their retention. One sweep covers a part of a large store; pass its
   * `nextCursor` as `cursor` to continue. `createSweeper` calls it repeatedly.
   */
  sweep(limit = 500, options: SweepOptions = {}): ResultAsync<Sweep, OperationErrors['sweep']> {
    return runOperation(this.#settings, { name: 'sweep' }, () =>
      sweepSessions(this.#settings, limit, options),
    );
  }

  #change(
    id: string,
    command: CallerCommand,
    options: OperationOptions,
  ): ResultAsync<SessionState, OperationErrors['pause']> {
    return this.#runOn({ name: command, id }, (settings, key) =>
      changeSession(settings, key, command, options),
    );
  }

  #runOn<N extends OperationName, E extends SessionError>(
    operation: OperationCall<N>,
    execute: (settings: Settings, key: SessionKey) => Answer<OperationResults[N], E | InvalidInput>,
  ): ResultAsync<OperationResults[N], E | InvalidInput | StoreUnavailable> {
    return runOperation<N, E | InvalidInput>(this.#settings, operation, () => {
      const id = parseId(operation.id);
      if (id.isErr()) return err(id.error);
      return execute(this.#settings, { tenant: this.#settings.tenant, id: id.value });
    });
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
