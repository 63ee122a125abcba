import { errAsync, type Result, ResultAsync } from 'neverthrow';
import type { InputPolicy } from '../input/input-policy.js';
import { parseEachQuery } from '../input/list-query.js';
import type { Clock } from '../session/clock.js';
import type { InvalidInput, OperationError, StoreUnavailable } from '../session/errors.js';
import type { Message } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type {
  Counters,
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
import type { SessionSchemas } from '../session/session-schemas.js';
import {
  type HeldLease,
  type ReturnedError,
  type ReturnedValue,
  takenLease,
  withLease,
} from '../session/with-lease.js';
import type { Answer } from '../store/session-store.js';
import { type AnswerOptions, waitForAnswer } from './answers.js';
import { type AppendOptions, appendHistory, redactEntries } from './change-history.js';
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
import {
  type NewMessage,
  readInbox,
  type SendOptions,
  sendMessage,
  withdrawMessages,
} from './messages.js';
import type { NewHistoryEntry } from './new-history-entry.js';
import { openWatch, openWatchAll } from './open-watches.js';
import type {
  Appended,
  Claims,
  GetOrCreateResult,
  HistoryPart,
  OperationName,
  OperationResults,
  SessionPage,
  Spent,
  Sweep,
  WaitingCount,
} from './operation-results.js';
import { type OrThrow, orThrowOf } from './or-throw.js';
import { type GetOptions, type HistoryQuery, readHistory, readSession } from './read-session.js';
import { type ReplyOptions, replyToMessage } from './reply.js';
import { type RewindInput, rewindHistory } from './rewind-history.js';
import { type CallError, type Execute, onSession, runOperation } from './run-operation.js';
import type { ServiceResults, SessionOperations } from './session-operations.js';
import {
  type CancelOptions,
  cancelWork,
  type LeaseInput,
  leaseSession,
  type ReleaseInput,
  type RenewInput,
  renewLease,
  type WakeOptions,
  wakeSession,
} from './session-work.js';
import {
  brandOf,
  forTenant,
  isSettings,
  leaseClock,
  parseSettings,
  refusedWithin,
  SETTINGS,
  type SessionServiceOptions,
  type Settings,
  withFence,
  within,
} from './settings.js';
import { spendBudget } from './spend.js';
import { type SweepOptions, sweepSessions } from './sweep-sessions.js';
import type { RunOf, TakeInput, TurnOf } from './turn.js';
import { releaseSession, takeMessages } from './turn-commits.js';
import type { Released, Reply, Sent, TakenMessages, WithdrawnMessages } from './turn-results.js';
import { type UpdateInput, type UpdateOptions, updateSession } from './update-session.js';

/**
 * The settings of a service, for the parts of the engine that are built on it; undefined if it is
 * no service.
 */
export const settingsOf = (sessions: unknown): Settings | undefined => {
  const settings = brandOf(sessions);
  return isSettings(settings) ? settings : undefined;
};

/** The argument of `run`: a turn of a session. */
export type Turn<T extends SessionSchemas = SessionSchemas> = TurnOf<T, SessionService<T>>;

/**
 * Answers a turn. If it throws, rejects or returns an `Err`, the turn is tried again later. After a
 * cancel, what it returns within five seconds is stored as its last words.
 */
export type Run<T extends SessionSchemas = SessionSchemas> = RunOf<T, SessionService<T>>;

/**
 * Creates, changes, reads and lists the sessions of one tenant. Every operation returns a
 * `ResultAsync`; none throws or rejects, even for invalid arguments or a faulty store.
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
export class SessionService<out T extends SessionSchemas = SessionSchemas>
  implements SessionOperations<OperationErrors, T, ServiceResults<T>>
{
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
  constructor(options: SessionServiceOptions<T>) {
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
   * The limits, faces and profiles that this service allows, and its schemas.
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
  forTenant(tenant: string): SessionService<T> {
    return sessionsOf<T>(forTenant(this.#settings, tenant));
  }

  /**
   * The same service within a transaction that the caller has begun, in the database of the store:
   * what it writes is stored, and seen by others, when the caller commits, and not at all after a
   * rollback. Its reads see what it has written. `client` is the connection of the transaction. For
   * PostgreSQL: a client of pg, the `sql` of a transaction or a reserved one of postgres.js, or the
   * `tx` of PGlite. For SQLite: another connection than that of the store, in a transaction begun
   * with BEGIN IMMEDIATE.
   *
   * Nothing is repeated: after `store_unavailable`, PostgreSQL can only roll back, to a savepoint at
   * least. Operations that wait or lease (`watch`, `answer`, `reply`, `claim`, `sweep` and others)
   * return `misconfigured`. Throws a `TypeError` for a client of another kind, and in stores that
   * have no transactions (Redis, memory).
   *
   * @example
   * ```ts no-run
   * import { Pool } from 'pg';
   *
   * const client = await new Pool().connect();
   * await client.query('BEGIN');
   * await client.query('INSERT INTO orders (id) VALUES ($1)', ['o-7']);
   * const told = await sessions.within(client).send(id, 'Order o-7 has arrived.');
   * await client.query(told.isOk() ? 'COMMIT' : 'ROLLBACK');
   * client.release();
   * ```
   *
   * @example
   * ```ts no-run
   * import Database from 'libsql';
   *
   * const orders = new Database('sessions.db'); // not the connection of the store
   * orders.exec('BEGIN IMMEDIATE');
   * orders.prepare('INSERT INTO orders (id) VALUES (?)').run('o-7');
   * const told = await sessions.within(orders).send(id, 'Order o-7 has arrived.');
   * orders.exec(told.isOk() ? 'COMMIT' : 'ROLLBACK');
   * ```
   */
  within(client: object): SessionService<T> {
    return sessionsOf<T>(within(this.#settings, client));
  }

  get orThrow(): OrThrow<SessionService<T>> {
    return orThrowOf<SessionService<T>>(this);
  }

  create(
    input: CreateSessionInput<T>,
    options: CreateOptions = {},
  ): ResultAsync<CreatedSession<T>, OperationErrors['create']> {
    return this.#run('create', createSession, input, options);
  }

  getOrCreate(
    input: GetOrCreateInput<T>,
    options: CreateOptions = {},
  ): ResultAsync<GetOrCreateResult<T>, OperationErrors['getOrCreate']> {
    return this.#run('getOrCreate', getOrCreate, input, options);
  }

  get(id: string, options: GetOptions = {}): ResultAsync<Session<T>, OperationErrors['get']> {
    return this.#runOn('get', id, readSession, options);
  }

  history(
    id: string,
    query: HistoryQuery = {},
  ): ResultAsync<HistoryPart<T>, OperationErrors['history']> {
    return this.#runOn('history', id, readHistory, query);
  }

  list(
    query: ListQuery = {},
    options: ListOptions = {},
  ): ResultAsync<SessionPage<T>, OperationErrors['list']> {
    return this.#run('list', listSessions, query, options);
  }

  each(query: EachQuery = {}): AsyncIterable<Result<Session<T>, OperationErrors['each']>> {
    return eachSession<T>(this.#settings, parseEachQuery(query));
  }

  start(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['start']> {
    return this.#runOn('start', id, startSession, options);
  }

  pause(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['pause']> {
    return this.#runOn('pause', id, changeSession, 'pause', options);
  }

  resume(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['resume']> {
    return this.#runOn('resume', id, changeSession, 'resume', options);
  }

  extend(
    id: string,
    input: ExtendInput,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['extend']> {
    return this.#runOn('extend', id, extendSession, input, options);
  }

  update(
    id: string,
    input: UpdateInput<T>,
    options: UpdateOptions = {},
  ): ResultAsync<SessionState, OperationErrors['update']> {
    return this.#runOn('update', id, updateSession, input, options);
  }

  terminate(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['terminate']> {
    return this.#runOn('terminate', id, changeSession, 'terminate', options);
  }

  fail(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['fail']> {
    return this.#runOn('fail', id, changeSession, 'fail', options);
  }

  spend(
    id: string,
    usage: Counters,
    options: OperationOptions = {},
  ): ResultAsync<Spent, OperationErrors['spend']> {
    return this.#runOn('spend', id, spendBudget, usage, options);
  }

  append(
    id: string,
    entries: readonly NewHistoryEntry<T>[],
    options: AppendOptions = {},
  ): ResultAsync<Appended, OperationErrors['append']> {
    return this.#runOn('append', id, appendHistory, entries, options);
  }

  rewind(id: string, input: RewindInput<T>): ResultAsync<Appended, OperationErrors['rewind']> {
    return this.#runOn('rewind', id, rewindHistory, input);
  }

  send(
    id: string,
    message: string | NewMessage,
    options: SendOptions = {},
  ): ResultAsync<Sent, OperationErrors['send']> {
    return this.#runOn('send', id, sendMessage, message, options);
  }

  inbox(id: string): ResultAsync<readonly Message[], OperationErrors['inbox']> {
    return this.#runOn('inbox', id, readInbox);
  }

  withdraw(
    id: string,
    ids?: readonly string[],
  ): ResultAsync<WithdrawnMessages, OperationErrors['withdraw']> {
    return this.#runOn('withdraw', id, withdrawMessages, ids);
  }

  take(id: string, input: TakeInput): ResultAsync<TakenMessages, OperationErrors['take']> {
    return this.#runOn('take', id, takeMessages, input);
  }

  answer(
    id: string,
    messageId: string,
    options: AnswerOptions = {},
  ): ResultAsync<Reply, OperationErrors['answer']> {
    return this.#runOn('answer', id, waitForAnswer, messageId, options);
  }

  /**
   * Sends a message, then runs the turn that answers it in this process, or waits while another
   * process answers. Repeated with the same message it returns the stored answer without a run;
   * after a crash it goes on. Several messages that wait are answered by one turn. What `run`
   * returns is stored in the same step as the end of the turn.
   *
   * @example
   * ```ts
   * const { content } = await sessions.orThrow.reply(
   *   'chat-7',
   *   { id: 'm-1', content: 'What do you build?' },
   *   ({ history, signal }) => askModel(history, signal),
   *   { create: true },
   * );
   * console.log(content); // You said: What do you build?
   * ```
   */
  reply(
    id: string,
    message: string | NewMessage,
    run: Run<T>,
    options: ReplyOptions = {},
  ): ResultAsync<Reply, OperationErrors['reply']> {
    return this.#runOn('reply', id, replyToMessage, sessionsOf, message, run, options);
  }

  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, OperationErrors['lease']> {
    const taken = this.#runOn('lease', id, leaseSession, input);
    return taken.map((lease) =>
      takenLease(lease, ({ fencingToken }) => this.release(id, { fencingToken })),
    );
  }

  renew(id: string, input: RenewInput): ResultAsync<SessionLease, OperationErrors['renew']> {
    return this.#runOn('renew', id, renewLease, input);
  }

  withLease<U>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionService<T>>) => U,
  ): ResultAsync<
    ReturnedValue<Awaited<U>>,
    OperationErrors['withLease'] | ReturnedError<Awaited<U>>
  > {
    const operations = {
      sessions: (fencingToken: number) =>
        sessionsOf<T>(withFence(this.#settings, { id, fencingToken })),
      lease: () => {
        const refused = refusedWithin(this.#settings, 'withLease');
        return refused === undefined ? this.lease(id, input) : errAsync(refused);
      },
      renew: (fencingToken: number, seconds: number) => this.renew(id, { fencingToken, seconds }),
      release: (fencingToken: number) => this.release(id, { fencingToken }),
    };
    return new ResultAsync(withLease(operations, leaseClock(this.#settings), input, use));
  }

  wake(id: string, options: WakeOptions = {}): ResultAsync<void, OperationErrors['wake']> {
    return this.#runOn('wake', id, wakeSession, options);
  }

  claim(input: ClaimInput): ResultAsync<Claims<T>, OperationErrors['claim']> {
    return this.#run('claim', claimSessions, this.#settings.tenant, input);
  }

  /**
   * Like `claim`, for the sessions of all tenants, each tenant in its turn: `forTenant(tenant)`
   * provides the operations for a claimed session. For workers of the host, never for the request
   * of one tenant.
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
  claimAny(input: ClaimInput): ResultAsync<Claims<T>, OperationErrors['claimAny']> {
    return this.#run('claimAny', claimSessions, undefined, input);
  }

  countWaiting(): ResultAsync<WaitingCount, OperationErrors['countWaiting']> {
    return this.#run('countWaiting', countWaiting, this.#settings.tenant);
  }

  /**
   * Like `countWaiting`, for the sessions of all tenants. For the host's own use, never for the
   * request of one tenant.
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

  cancel(id: string, options: CancelOptions = {}): ResultAsync<void, OperationErrors['cancel']> {
    return this.#runOn('cancel', id, cancelWork, options);
  }

  release(id: string, input: ReleaseInput): ResultAsync<Released, OperationErrors['release']> {
    return this.#runOn('release', id, releaseSession, input);
  }

  redact(id: string, positions: readonly number[]): ResultAsync<void, OperationErrors['redact']> {
    return this.#runOn('redact', id, redactEntries, positions);
  }

  delete(id: string): ResultAsync<void, OperationErrors['delete']> {
    return this.#runOn('delete', id, deleteSession);
  }

  watch(
    id: string,
    options: WatchOptions = {},
  ): AsyncIterable<Result<SessionChange<T>, OperationErrors['watch']>> & AsyncDisposable {
    return openWatch<T>(this.#settings, id, options);
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
  ): AsyncIterable<Result<TenantChange<T>, OperationErrors['watchAll']>> & AsyncDisposable {
    return openWatchAll<T>(this.#settings, options);
  }

  /**
   * Settles when no operation of this service is under way, of any tenant, and its store no longer
   * needs its client or database: close that then. Stop servers, workers, sweepers and watches
   * first, because `drain` stops nothing: it waits as long as they call operations, and does not
   * wait for an operation that begins afterwards. It waits for operations of other services on the
   * same store only while the store works on them. Fails with `store_unavailable` if the store
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

  #run<N extends OperationName, E extends OperationError, I extends readonly unknown[]>(
    name: N,
    execute: (settings: Settings, ...input: I) => Answer<OperationResults[N], E>,
    ...input: I
  ): ResultAsync<OperationResults<T>[N], E | CallError> {
    return runOperation<T, N, E>(this.#settings, name, () => execute(this.#settings, ...input));
  }

  /** Runs an operation on one session. */
  #runOn<N extends OperationName, E extends OperationError, I extends readonly unknown[]>(
    name: N,
    id: string,
    execute: Execute<OperationResults[N], E | InvalidInput, I>,
    ...input: I
  ): ResultAsync<OperationResults<T>[N], E | CallError> {
    const operation = () => onSession(this.#settings, id, execute, input);
    return runOperation<T, N, E | InvalidInput>(this.#settings, name, operation, id);
  }
}

/** The service of these settings. */
export const sessionsOf = <T extends SessionSchemas>(settings: Settings): SessionService<T> =>
  settings.make(() => new SessionService<T>(settings));
