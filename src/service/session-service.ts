import { type Result, ResultAsync } from 'neverthrow';
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
} from '../session/with-lease.js';
import type { Answer } from '../store/session-store.js';
import type { AppendOptions } from './append-history.js';
import type { OperationOptions } from './apply-command.js';
import type { CancelOptions } from './cancel-work.js';
import { type ClaimInput, claimSessions } from './claim-sessions.js';
import { countWaiting } from './count-waiting.js';
import { type CreateSessionInput, createSession } from './create-session.js';
import { drainService } from './drain-service.js';
import type { ExtendInput } from './extend-session.js';
import { type GetOrCreateInput, getOrCreate } from './get-or-create.js';
import { holdSession } from './hold-session.js';
import type { LeaseInput, RenewInput } from './lease-session.js';
import {
  type EachQuery,
  eachSession,
  type ListOptions,
  type ListQuery,
  listSessions,
} from './list-sessions.js';
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
import { type OperationOnSession, operationsByName } from './operations-by-name.js';
import { type OrThrow, orThrowOf } from './or-throw.js';
import type { HistoryQuery } from './read-history.js';
import type { GetOptions, ReadOptions } from './read-session.js';
import type { ReleaseInput } from './release-session.js';
import { type ReplyOptions, replyToMessage } from './reply.js';
import type { RewindInput } from './rewind-history.js';
import { type CallError, onSession, runOperation } from './run-operation.js';
import type { NewMessage, SendOptions } from './send-message.js';
import type { ServiceOperations } from './service-operations.js';
import { parseSettings, type SessionServiceOptions } from './service-options.js';
import type { ServiceResults, SessionOperations } from './session-operations.js';
import { forTenant, isSettings, SETTINGS, type Settings, within } from './settings.js';
import { type SweepOptions, sweepSessions } from './sweep-sessions.js';
import type { RunOf, TakeInput } from './turn.js';
import type { Released, Reply, Sent, TakenMessages, WithdrawnMessages } from './turn-results.js';
import type { UpdateInput, UpdateOptions } from './update-session.js';
import type { AnswerOptions } from './wait-for-answer.js';
import type { WakeOptions } from './wake-session.js';

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
  implements
    SessionOperations<OperationErrors, T, ServiceResults<T>>,
    ServiceOperations<T, SessionService<T>>
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

  get clock(): Clock {
    return this.#settings.clock;
  }

  get policy(): InputPolicy {
    return this.#settings.policy;
  }

  forTenant(tenant: string): SessionService<T> {
    return sessionsOf<T>(forTenant(this.#settings, tenant));
  }

  within(client: object): SessionService<T> {
    return sessionsOf<T>(within(this.#settings, client));
  }

  get orThrow(): OrThrow<SessionService<T>> {
    return orThrowOf<SessionService<T>>(this);
  }

  create(input: CreateSessionInput<T>): ResultAsync<CreatedSession<T>, OperationErrors['create']> {
    return this.#run('create', createSession, input);
  }

  getOrCreate(
    input: GetOrCreateInput<T>,
    options: ReadOptions = {},
  ): ResultAsync<GetOrCreateResult<T>, OperationErrors['getOrCreate']> {
    return this.#run('getOrCreate', getOrCreate, input, options);
  }

  get(id: string, options: GetOptions = {}): ResultAsync<Session<T>, OperationErrors['get']> {
    return this.#on('get', id, options);
  }

  history(
    id: string,
    query: HistoryQuery = {},
  ): ResultAsync<HistoryPart<T>, OperationErrors['history']> {
    return this.#on('history', id, query);
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
    return this.#on('start', id, options);
  }

  pause(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['pause']> {
    return this.#on('pause', id, options);
  }

  resume(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['resume']> {
    return this.#on('resume', id, options);
  }

  extend(
    id: string,
    input: ExtendInput,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['extend']> {
    return this.#on('extend', id, input, options);
  }

  update(
    id: string,
    input: UpdateInput<T>,
    options: UpdateOptions = {},
  ): ResultAsync<SessionState, OperationErrors['update']> {
    return this.#on('update', id, input, options);
  }

  terminate(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['terminate']> {
    return this.#on('terminate', id, options);
  }

  fail(
    id: string,
    options: OperationOptions = {},
  ): ResultAsync<SessionState, OperationErrors['fail']> {
    return this.#on('fail', id, options);
  }

  spend(
    id: string,
    usage: Counters,
    options: OperationOptions = {},
  ): ResultAsync<Spent, OperationErrors['spend']> {
    return this.#on('spend', id, usage, options);
  }

  append(
    id: string,
    entries: readonly NewHistoryEntry<T>[],
    options: AppendOptions = {},
  ): ResultAsync<Appended, OperationErrors['append']> {
    return this.#on('append', id, entries, options);
  }

  rewind(id: string, input: RewindInput<T>): ResultAsync<Appended, OperationErrors['rewind']> {
    return this.#on('rewind', id, input);
  }

  send(
    id: string,
    message: string | NewMessage,
    options: SendOptions = {},
  ): ResultAsync<Sent, OperationErrors['send']> {
    return this.#on('send', id, message, options);
  }

  inbox(id: string): ResultAsync<readonly Message[], OperationErrors['inbox']> {
    return this.#on('inbox', id);
  }

  withdraw(
    id: string,
    ids?: readonly string[],
  ): ResultAsync<WithdrawnMessages, OperationErrors['withdraw']> {
    return this.#on('withdraw', id, ids);
  }

  take(id: string, input: TakeInput): ResultAsync<TakenMessages, OperationErrors['take']> {
    return this.#on('take', id, input);
  }

  answer(
    id: string,
    messageId: string,
    options: AnswerOptions = {},
  ): ResultAsync<Reply, OperationErrors['answer']> {
    return this.#on('answer', id, messageId, options);
  }

  reply(
    id: string,
    message: string | NewMessage,
    run: RunOf<T, SessionService<T>>,
    options: ReplyOptions = {},
  ): ResultAsync<Reply, OperationErrors['reply']> {
    const operation = () =>
      onSession(this.#settings, id, replyToMessage, [sessionsOf, message, run, options]);
    return runOperation(this.#settings, 'reply', operation, id);
  }

  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, OperationErrors['lease']> {
    const release = ({ fencingToken }: SessionLease) => this.release(id, { fencingToken });
    return this.#on('lease', id, input).map((lease) => takenLease(lease, release));
  }

  renew(id: string, input: RenewInput): ResultAsync<SessionLease, OperationErrors['renew']> {
    return this.#on('renew', id, input);
  }

  withLease<U>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionService<T>>) => U,
  ): ResultAsync<
    ReturnedValue<Awaited<U>>,
    OperationErrors['withLease'] | ReturnedError<Awaited<U>>
  > {
    const held = holdSession(this, this.#settings, sessionsOf<T>, { id, input, use });
    return new ResultAsync(held);
  }

  wake(id: string, options: WakeOptions = {}): ResultAsync<void, OperationErrors['wake']> {
    return this.#on('wake', id, options);
  }

  claim(input: ClaimInput): ResultAsync<Claims<T>, OperationErrors['claim']> {
    return this.#run('claim', claimSessions, this.#settings.tenant, input);
  }

  claimAny(input: ClaimInput): ResultAsync<Claims<T>, OperationErrors['claimAny']> {
    return this.#run('claimAny', claimSessions, undefined, input);
  }

  countWaiting(): ResultAsync<WaitingCount, OperationErrors['countWaiting']> {
    return this.#run('countWaiting', countWaiting, this.#settings.tenant);
  }

  countWaitingAny(): ResultAsync<WaitingCount, OperationErrors['countWaitingAny']> {
    return this.#run('countWaitingAny', countWaiting, undefined);
  }

  cancel(id: string, options: CancelOptions = {}): ResultAsync<void, OperationErrors['cancel']> {
    return this.#on('cancel', id, options);
  }

  release(id: string, input: ReleaseInput): ResultAsync<Released, OperationErrors['release']> {
    return this.#on('release', id, input);
  }

  redact(id: string, positions: readonly number[]): ResultAsync<void, OperationErrors['redact']> {
    return this.#on('redact', id, positions);
  }

  delete(id: string): ResultAsync<void, OperationErrors['delete']> {
    return this.#on('delete', id);
  }

  watch(
    id: string,
    options: WatchOptions = {},
  ): AsyncIterable<Result<SessionChange<T>, OperationErrors['watch']>> & AsyncDisposable {
    return openWatch<T>(this.#settings, id, options);
  }

  watchAll(
    options: WatchAllOptions = {},
  ): AsyncIterable<Result<TenantChange<T>, OperationErrors['watchAll']>> & AsyncDisposable {
    return openWatchAll<T>(this.#settings, options);
  }

  drain(): ResultAsync<void, StoreUnavailable> {
    return new ResultAsync(drainService(this.#settings));
  }

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

  #on<N extends OperationOnSession>(
    name: N,
    id: string,
    ...input: readonly unknown[]
  ): ResultAsync<OperationResults<T>[N], OperationErrors[N] | CallError> {
    const run = () => onSession(this.#settings, id, operationsByName[name], input);
    return runOperation<T, N, OperationErrors[N] | InvalidInput>(this.#settings, name, run, id);
  }
}

export const sessionsOf = <T extends SessionSchemas>(settings: Settings): SessionService<T> =>
  settings.make(() => new SessionService<T>(settings));
