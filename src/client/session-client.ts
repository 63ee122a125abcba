import { err, errAsync, type Result, ResultAsync } from 'neverthrow';
import {
  append,
  changes,
  extend,
  redact,
  remove,
  rewind,
  update,
} from '../operations/command-operations.js';
import type { Endpoint, OperationError } from '../operations/operation.js';
import {
  REPLAYED_HEADER,
  type RemoteClaims,
  type RemoteCreated,
  type RemoteGetOrCreateResult,
  type RemotePage,
  type RemoteSession,
} from '../operations/outputs.js';
import {
  createWithId,
  get,
  getOrCreate,
  history,
  list,
  openedCreate,
} from '../operations/session-operations.js';
import {
  cancel,
  claim,
  countWaiting,
  lease,
  release,
  renew,
  wake,
} from '../operations/work-operations.js';
import { received } from '../schema/received.js';
import type { NewHistoryEntry, RewindInput } from '../service/change-history.js';
import type { ExtendInput } from '../service/change-session.js';
import type { ClaimInput } from '../service/claim-sessions.js';
import type { CreateSessionInput } from '../service/create-session.js';
import type { GetOrCreateInput } from '../service/get-or-create.js';
import type { EachQuery, ListQuery } from '../service/list-sessions.js';
import type { Appended, HistoryPart, WaitingCount } from '../service/operation-results.js';
import { type OrThrow, orThrowOf } from '../service/or-throw.js';
import type { HistoryQuery } from '../service/read-session.js';
import type {
  CancelOptions,
  LeaseInput,
  ReleaseInput,
  RenewInput,
  WakeOptions,
} from '../service/session-work.js';
import type { UpdateInput } from '../service/update-session.js';
import { eachInPages, fittingPage } from '../session/each-in-pages.js';
import type { InvalidInput } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import type { SessionLease, SessionState, TakenLease } from '../session/session.js';
import {
  type Fence,
  type HeldLease,
  type ReturnedError,
  type ReturnedValue,
  takenLease,
  withLease,
} from '../session/with-lease.js';
import type {
  CallOptions,
  RemoteAppendOptions,
  RemoteGetOptions,
  RemoteUpdateOptions,
  RemoteWatchOptions,
  WriteOptions,
} from './call-options.js';
import type { RemoteErrors, RequestError } from './client-error.js';
import {
  type CallArguments,
  type EachPages,
  parseEachQuery,
  parseRequest,
} from './client-request.js';
import { Exchange } from './exchange.js';
import type { RemoteChange } from './read-change.js';
import { type Reply, readPage } from './read-reply.js';
import {
  type ClientSettings,
  parseClientOptions,
  type SessionClientOptions,
} from './session-client-options.js';
import { watchRemote } from './watch-remote.js';

const hasOwnId = (input: unknown): boolean => {
  try {
    return isFields(input) && input['id'] !== undefined;
  } catch {
    return false;
  }
};

/**
 * Creates, changes, reads and lists sessions over HTTP: the operations of `SessionService`, for the
 * tenant of the API key. No operation throws or rejects. Temporary failures are retried; a write
 * keeps its idempotency key, so it is applied only once. In the examples of the operations, `id` is
 * an ACTIVE session with two entries: a question, and the answer "Bridges, mostly."
 *
 * @example
 * ```ts no-run
 * const client = new SessionClient({ baseUrl: 'https://sessions.example/api', apiKey: 'key-1' });
 * const created = await client.create({ face: 'ada', profile: 'receptionist', start: true });
 * if (created.isErr()) console.error(created.error.message);
 * else await client.append(created.value.id, [{ role: 'user', content: 'Are you open?' }]);
 * ```
 */
export class SessionClient {
  readonly #options: SessionClientOptions;
  readonly #settings: ClientSettings;
  #fence: Fence | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SessionClientOptions) {
    this.#settings = parseClientOptions(options);
    this.#options = { ...options };
  }

  /**
   * The same operations as promises of their values, for `await` and `try`: an error rejects with a
   * `SessionFailure`. An iterable throws at its first error.
   *
   * @example
   * ```ts
   * try {
   *   await client.orThrow.start(id);
   * } catch (failure) {
   *   if (!(failure instanceof SessionFailure)) throw failure;
   *   console.log(failure.type); // invalid_transition
   * }
   * ```
   */
  get orThrow(): OrThrow<SessionClient> {
    return orThrowOf<SessionClient>(this);
  }

  /**
   * Creates a session in the status IDLE. Without an `idempotencyKey` the client generates one.
   * `start`, `wake`, `entries` and `from` need a host that serves `commandRoutes()`.
   *
   * @example
   * ```ts
   * const created = await client.create({ face: 'ada', profile: 'interviewer', start: true });
   * if (created.isErr()) console.error(created.error.message);
   * else await client.append(created.value.id, [{ role: 'user', content: 'Hello!' }]);
   * ```
   */
  create(
    input: CreateSessionInput,
    options: CallOptions = {},
  ): ResultAsync<RemoteCreated, RemoteErrors['create']> {
    const given = { input, options, inputNames: ['id', 'idempotencyKey', 'historyLimit'] };
    if (hasOwnId(input)) return this.#request(createWithId, given);
    return this.#request(openedCreate, given);
  }

  /**
   * Reads the session with an id of the caller's own, whatever its options and its status, or
   * creates and starts it. `created` says which. Of several calls at the same time, one creates the
   * session and all get it. The host must serve `commandRoutes()`.
   *
   * @example
   * ```ts
   * const call = { id: 'call-555-0123', face: 'ada', profile: 'receptionist' };
   * const { created, status } = await client.orThrow.getOrCreate(call);
   * console.log(created, status); // true ACTIVE
   * ```
   */
  getOrCreate(
    input: GetOrCreateInput,
    options: CallOptions = {},
  ): ResultAsync<RemoteGetOrCreateResult, RemoteErrors['getOrCreate']> {
    return this.#request(getOrCreate, { input, options, inputNames: ['id'] });
  }

  /**
   * Reads a session with its history, or with its latest entries.
   *
   * @example
   * ```ts
   * const found = await client.get(id);
   * if (found.isErr()) console.error(found.error.type);
   * else console.log(found.value.status, found.value.history.length); // ACTIVE 2
   * ```
   */
  get(id: string, options: RemoteGetOptions = {}): ResultAsync<RemoteSession, RemoteErrors['get']> {
    return this.#request(get, { id, options, optionNames: ['historyLimit'] });
  }

  /**
   * Reads a part of a history: the last entries, those after a position, or those before one. A
   * position that is not in this history is `invalid_input`. The host must serve `historyRoutes()`.
   *
   * @example
   * ```ts
   * const { entries, start, position } = await client.orThrow.history(id, { last: 20 });
   * console.log(entries.at(-1)?.content); // Bridges, mostly.
   * const older = await client.orThrow.history(id, { before: start });
   * const newer = await client.orThrow.history(id, { after: position });
   * ```
   */
  history(
    id: string,
    query: HistoryQuery = {},
    options: CallOptions = {},
  ): ResultAsync<HistoryPart, RemoteErrors['history']> {
    return this.#request(history, { id, input: query, options });
  }

  /**
   * Reads a page of the sessions with their histories, newest first by default.
   *
   * @example
   * ```ts
   * const query = { labels: { user: 'u-1' }, historyLimit: 1 };
   * const { sessions, total } = await client.orThrow.list(query);
   * console.log(total, sessions[0]?.history[0]?.content); // 1 Bridges, mostly.
   * ```
   */
  list(
    query: ListQuery = {},
    options: CallOptions = {},
  ): ResultAsync<RemotePage, RemoteErrors['list']> {
    return this.#call(list, { input: query, options }, readPage);
  }

  /**
   * Iterates over all sessions, page by page with a cursor. A session that exists during the whole
   * iteration is yielded exactly once. A session that cannot be read is a `corrupt_record` item;
   * any other error is the last item. Never throws. The options apply to each page.
   *
   * @example
   * ```ts
   * let seconds = 0;
   * for await (const item of client.each({ labels: { user: 'u-1' }, historyLimit: 0 })) {
   *   if (item.isOk()) seconds += item.value.duration;
   *   else console.error(item.error.message);
   * }
   * ```
   */
  each(
    query: EachQuery = {},
    options: CallOptions = {},
  ): AsyncIterable<Result<RemoteSession, RemoteErrors['each']>> {
    return this.#each(parseEachQuery(query), options);
  }

  /**
   * IDLE to ACTIVE. The time limit begins to run.
   *
   * @example
   * ```ts
   * const { id: callId } = await client.orThrow.create({ face: 'ada', profile: 'tutor' });
   * const started = await client.start(callId);
   * if (started.isErr()) console.error('No line is free:', started.error.message);
   * else console.log(started.value.status); // ACTIVE
   * ```
   */
  start(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['start']> {
    return this.#request(changes.start, { id, options });
  }

  /**
   * ACTIVE to PAUSED. A pause does not count towards the time limit.
   *
   * @example
   * ```ts
   * const { status } = await client.orThrow.pause(id); // the caller is put on hold
   * console.log(status); // PAUSED
   * ```
   */
  pause(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['pause']> {
    return this.#request(changes.pause, { id, options });
  }

  /**
   * PAUSED to ACTIVE. The time limit continues to run.
   *
   * @example
   * ```ts
   * await client.orThrow.pause(id);
   * const { status } = await client.orThrow.resume(id);
   * console.log(status); // ACTIVE
   * ```
   */
  resume(
    id: string,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['resume']> {
    return this.#request(changes.resume, { id, options });
  }

  /**
   * Sets a new time limit, higher or lower than before, of a session that has not ended. It
   * includes the seconds already used: a limit that is not higher than these is `invalid_input`.
   *
   * @example
   * ```ts
   * await client.orThrow.extend(id, { timeLimit: 1200 });
   * const { options } = await client.orThrow.get(id);
   * console.log(options.timeLimit); // 1200
   * ```
   */
  extend(
    id: string,
    input: ExtendInput,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['extend']> {
    return this.#request(extend, { id, input, options });
  }

  /**
   * Sets and removes labels and metadata of a session in any status, in one step; the others stay.
   * An update that changes nothing writes nothing.
   *
   * @example
   * ```ts
   * await client.orThrow.update(id, {
   *   labels: { title: 'Bridges', draft: null },
   *   metadata: { rating: 4 },
   * });
   * const { labels } = await client.orThrow.get(id);
   * console.log(labels?.['title']); // Bridges
   * ```
   */
  update(
    id: string,
    input: UpdateInput,
    options: RemoteUpdateOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['update']> {
    return this.#request(update, { id, input, options, optionNames: ['ifRevision'] });
  }

  /**
   * Ends the session with the reason `terminated`. Succeeds without a change if the session has
   * ended.
   *
   * @example
   * ```ts
   * const { status, endReason } = await client.orThrow.terminate(id);
   * console.log(status, endReason); // TERMINATED terminated
   * ```
   */
  terminate(
    id: string,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['terminate']> {
    return this.#request(changes.terminate, { id, options });
  }

  /**
   * Ends the session with the reason `failed`. A session that has ended keeps its reason: the
   * call fails with `invalid_transition`.
   *
   * @example
   * ```ts
   * const { entries } = await client.orThrow.history(id);
   * await askModel(entries).catch(() => client.orThrow.fail(id));
   * ```
   */
  fail(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['fail']> {
    return this.#request(changes.fail, { id, options });
  }

  /**
   * Adds entries to the history of an ACTIVE or PAUSED session, all or none.
   *
   * @example
   * ```ts
   * const turn = [{ role: 'user', content: 'And a tunnel.' }];
   * const appended = await client.append(id, turn, { operationId: 'message-3' });
   * if (appended.isErr()) console.error(appended.error.message);
   * const again = await client.orThrow.append(id, turn, { operationId: 'message-3' });
   * console.log(again.repeated); // true
   * ```
   */
  append(
    id: string,
    entries: readonly NewHistoryEntry[],
    options: RemoteAppendOptions = {},
  ): ResultAsync<Appended, RemoteErrors['append']> {
    const optionNames = ['ifPosition', 'wake'];
    return this.#request(append, { id, input: { entries }, options, optionNames });
  }

  /**
   * Goes back in the history of an ACTIVE or PAUSED session, in one step: the history then has the
   * entries up to the position `to`, and after them `entries`. If the history does not end at
   * `ifPosition`, the error is `history_moved`, and nothing is changed.
   *
   * @example
   * ```ts
   * const { position } = await client.orThrow.history(id);
   * const summary = [{ role: 'system', content: 'She builds bridges.' }];
   * await client.orThrow.rewind(id, { to: 0, entries: summary, ifPosition: position });
   * const { history } = await client.orThrow.get(id);
   * console.log(history.length); // 1
   * ```
   */
  rewind(
    id: string,
    input: RewindInput,
    options: CallOptions = {},
  ): ResultAsync<Appended, RemoteErrors['rewind']> {
    const inputNames = ['operationId', 'fencingToken'];
    return this.#request(rewind, { id, input, options, inputNames });
  }

  /**
   * Leases a session that has not ended. If another holder has the session, the error is `leased`.
   * Every lease has a higher fencing token than the ones before. If the same holder already has the
   * session, the new lease replaces the earlier one.
   *
   * @example
   * ```ts
   * await using lease = await client.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const { fencingToken } = lease;
   * const answer = [{ role: 'assistant', content: 'Which one was the longest?' }];
   * await client.orThrow.append(id, answer, { fencingToken });
   * const other = await client.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isErr() && other.error.type); // leased
   * ```
   */
  lease(
    id: string,
    input: LeaseInput,
    options: CallOptions = {},
  ): ResultAsync<TakenLease, RemoteErrors['lease']> {
    const taken = this.#request(lease, { id, input, options });
    return taken.map((given) =>
      takenLease(given, ({ fencingToken }) => this.release(id, { fencingToken })),
    );
  }

  /**
   * Moves the end of a lease to `seconds` from now. Never takes a lease: if `fencingToken` is not
   * that of the current lease, the error is `lease_lost`, and after the end of the session
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * const { fencingToken } = await client.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const renewed = await client.renew(id, { fencingToken, seconds: 30 });
   * if (renewed.isErr()) console.error('Stop: another worker may have the session.');
   * ```
   */
  renew(
    id: string,
    input: RenewInput,
    options: CallOptions = {},
  ): ResultAsync<SessionLease, RemoteErrors['renew']> {
    return this.#request(renew, { id, input, options });
  }

  /**
   * Leases a session while `use` runs: renews the lease after each third of its length, and
   * releases it at the end. `use` gets `sessions`, this client with the token of the lease in its
   * appends and commands on the session. Returns the value of `use`, or its result if it returns
   * one; `callback_failed` if `use` throws or rejects; and `lease_lost` in place of a value if the
   * lease was lost before `use` had finished. `signal` is aborted as soon as that is known, and
   * when the session has ended: an error of `use` is then still its own, and the reason of the
   * signal, if `use` throws that. If the session cannot be leased, `use` is not called.
   *
   * @example
   * ```ts
   * const lease = { holder: 'worker-1', seconds: 30 };
   * const done = await client.withLease(id, lease, async ({ sessions, signal }) => {
   *   const { entries } = await sessions.orThrow.history(id);
   *   const answer = await askModel(entries, signal);
   *   return sessions.append(id, [{ role: 'assistant', content: answer }]);
   * });
   * if (done.isErr()) console.error(done.error.type);
   * ```
   */
  withLease<T>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionClient>) => T,
  ): ResultAsync<ReturnedValue<Awaited<T>>, RemoteErrors['withLease'] | ReturnedError<Awaited<T>>> {
    const operations = {
      sessions: (fencingToken: number) =>
        new SessionClient(this.#options).#carry({ id, fencingToken }),
      lease: () => this.lease(id, input),
      // Limited to a third of the lease, so that a lost answer leaves time for another attempt.
      renew: (fencingToken: number, seconds: number) =>
        this.renew(id, { fencingToken, seconds }, { timeoutMs: Math.max(1, (seconds * 1000) / 3) }),
      release: (fencingToken: number) => this.release(id, { fencingToken }),
    };
    return new ResultAsync(withLease(operations, this.#settings.timing, input, use));
  }

  /**
   * Makes a session wait for a worker, now or from a time on: `claim` then returns it. A session
   * that has ended is `invalid_transition`.
   *
   * @example
   * ```ts
   * await client.orThrow.wake(id);
   * const inAnHour = new Date(Date.now() + 3_600_000);
   * await client.orThrow.wake(id, { at: inAnHour }); // the earlier time counts
   * ```
   */
  wake(
    id: string,
    input: WakeOptions = {},
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['wake']> {
    return this.#send(wake, { id, input, options });
  }

  /**
   * Leases sessions that wait for a worker, the longest waiting first, at most `limit`. No two
   * callers get the same session at the same time. If an answer is lost, its sessions come again
   * when their leases have run out.
   *
   * @example
   * ```ts
   * await client.orThrow.wake(id);
   * const { claimed } = await client.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * for (const { session, lease } of claimed) {
   *   await client.orThrow.append(session.id, [{ role: 'assistant', content: 'Still there?' }]);
   *   await client.orThrow.release(session.id, { fencingToken: lease.fencingToken, done: true });
   * }
   * ```
   */
  claim(
    input: ClaimInput,
    options: CallOptions = {},
  ): ResultAsync<RemoteClaims, RemoteErrors['claim']> {
    return this.#request(claim, { id: '', input, options });
  }

  /**
   * Counts the sessions that `claim` could return now, up to a limit.
   *
   * @example
   * ```ts
   * await client.orThrow.wake(id);
   * const { count } = await client.orThrow.countWaiting();
   * console.log(count); // 1
   * ```
   */
  countWaiting(options: CallOptions = {}): ResultAsync<WaitingCount, RemoteErrors['countWaiting']> {
    return this.#request(countWaiting, { options });
  }

  /**
   * Cancels the work on a session: ends the lease on it, and the session waits for no worker any
   * more.
   *
   * @example
   * ```ts
   * await client.orThrow.wake(id);
   * await client.orThrow.cancel(id, { reason: 'the caller has hung up' });
   * const { claimed } = await client.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * console.log(claimed.length); // 0
   * ```
   */
  cancel(
    id: string,
    input: CancelOptions = {},
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['cancel']> {
    return this.#send(cancel, { id, input, options });
  }

  /**
   * Ends a lease. Also succeeds if the lease was already over and no other one followed.
   *
   * @example
   * ```ts
   * const { fencingToken } = await client.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * await client.orThrow.release(id, { fencingToken });
   * const other = await client.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isOk()); // true
   * ```
   */
  release(
    id: string,
    input: ReleaseInput,
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['release']> {
    return this.#send(release, { id, input, options });
  }

  /**
   * Erases the content, `id` and `data` of entries from the store at once, also of superseded
   * entries. Their positions, roles and times stay. `positions` are 1 to 1000 positions that
   * `history` returned.
   *
   * @example
   * ```ts
   * const { entries } = await client.orThrow.history(id, { last: 1 });
   * const positions = entries.map(({ position }) => position);
   * await client.orThrow.redact(id, positions);
   * const { history } = await client.orThrow.get(id);
   * console.log(history.map(({ content }) => content)); // [ 'What do you build?', '' ]
   * ```
   */
  redact(
    id: string,
    positions: readonly number[],
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['redact']> {
    return this.#send(redact, { id, input: { positions }, options });
  }

  /**
   * Deletes the session. Also succeeds if it does not exist.
   *
   * @example
   * ```ts
   * await client.orThrow.delete(id);
   * const found = await client.get(id);
   * console.log(found.isErr() && found.error.type); // not_found
   * ```
   */
  delete(id: string, options: CallOptions = {}): ResultAsync<void, RemoteErrors['delete']> {
    return this.#send(remove, { id, options });
  }

  /**
   * Watches a session: yields a snapshot, then what has changed and the new entries, until the
   * session has ended or is deleted. No entry is missing and none comes twice; changes that follow
   * each other closely come as one. With `cursor`, that of an item, it continues after that item.
   * If the connection is lost, it reconnects and continues where it was. An error is the last item.
   * Aborting the signal ends the iteration at once, and leaving the loop closes the connection.
   * Nothing is sent before the first `next`. Never throws. The host must serve `eventRoutes()`.
   *
   * @example
   * ```ts
   * for await (const item of client.watch(id)) {
   *   if (item.isErr()) break;
   *   const change = item.value;
   *   if (change.type === 'session.snapshot') console.log(change.session.history.length); // 2
   *   if (change.type === 'session.changed') console.log(change.entries[0]?.content); // Bye!
   *   if (change.type === 'session.changed') break;
   *   await client.append(id, [{ role: 'user', content: 'Bye!' }]);
   * }
   * ```
   */
  watch(
    id: string,
    options: RemoteWatchOptions = {},
  ): AsyncIterable<Result<RemoteChange, RemoteErrors['watch']>> & AsyncDisposable {
    return watchRemote(this.#settings, id, options);
  }

  #carry(fence: Fence): this {
    this.#fence = fence;
    return this;
  }

  async *#each(
    first: Result<EachPages, InvalidInput>,
    options: CallOptions,
  ): AsyncGenerator<Result<RemoteSession, RemoteErrors['list']>, void> {
    if (first.isErr()) {
      yield err(first.error);
      return;
    }
    const query = first.value;
    yield* eachInPages(query, (limit, cursor) =>
      fittingPage(limit, (fewer) =>
        this.list({ ...query, limit: fewer, ...(cursor !== undefined && { cursor }) }, options),
      ),
    );
  }

  /**
   * For an operation that answers with a body. A write may repeat an earlier request with the same
   * key.
   */
  #request<T extends object, C extends OperationError>(
    operation: Endpoint<T, C>,
    given: CallArguments,
  ) {
    const { body: answer } = operation.output;
    return this.#call(operation, given, ({ body, headers }): T | undefined => {
      const value = answer && received(answer, body);
      const isRepeated = headers.get(REPLAYED_HEADER) === 'true';
      return value && isRepeated ? { ...value, repeated: true } : value;
    });
  }

  /** For an operation that answers without a body. */
  #send<C extends OperationError>(operation: Endpoint<unknown, C>, given: CallArguments) {
    const read = ({ status }: Reply): true | undefined => status === 204 || undefined;
    return this.#call(operation, given, read).map(() => undefined);
  }

  #call<T, C extends OperationError>(
    operation: Endpoint<unknown, C>,
    given: CallArguments,
    read: (reply: Reply, path: string) => T | undefined,
  ): ResultAsync<T, RequestError<C> | InvalidInput> {
    const request = parseRequest(operation, { ...given, fence: this.#fence });
    if (request.isErr()) return errAsync(request.error);
    const { path } = request.value;
    const exchange = new Exchange(this.#settings, request.value);
    return new ResultAsync(exchange.send((reply) => read(reply, path)));
  }
}
