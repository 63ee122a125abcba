import { errAsync, type Result, ResultAsync } from 'neverthrow';
import * as commands from '../endpoints/command-endpoints.js';
import * as messages from '../endpoints/message-endpoints.js';
import * as sessions from '../endpoints/session-endpoints.js';
import * as work from '../endpoints/work-endpoints.js';
import type { CancelOptions } from '../service/cancel-work.js';
import type { ClaimInput } from '../service/claim-sessions.js';
import type { CreateSessionInput } from '../service/create-session.js';
import type { ExtendInput } from '../service/extend-session.js';
import type { GetOrCreateInput } from '../service/get-or-create.js';
import type { LeaseInput, RenewInput } from '../service/lease-session.js';
import type { EachQuery, ListQuery } from '../service/list-sessions.js';
import type { NewHistoryEntry } from '../service/new-history-entry.js';
import type { SharedResults } from '../service/operation-contract.js';
import type { Appended, HistoryPart, Spent, WaitingCount } from '../service/operation-results.js';
import { type OrThrow, orThrowOf } from '../service/or-throw.js';
import type { HistoryQuery } from '../service/read-history.js';
import type { ReleaseInput } from '../service/release-session.js';
import type {
  RemoteChange,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
} from '../service/remote-results.js';
import type { RewindInput } from '../service/rewind-history.js';
import type { NewMessage } from '../service/send-message.js';
import type { SessionOperations } from '../service/session-operations.js';
import type { TakeInput } from '../service/turn.js';
import type {
  Released,
  Reply,
  Sent,
  TakenMessages,
  WithdrawnMessages,
} from '../service/turn-results.js';
import type { UpdateInput } from '../service/update-session.js';
import type { WakeOptions } from '../service/wake-session.js';
import { isFields } from '../session/fields.js';
import type { Message } from '../session/message.js';
import type { Counters, SessionLease, SessionState, TakenLease } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import {
  type Fence,
  type HeldLease,
  type ReturnedError,
  type ReturnedValue,
  takenLease,
  withLease,
} from '../session/with-lease.js';
import { awaitAnswer } from './await-answer.js';
import type {
  CallOptions,
  RemoteAnswerOptions,
  RemoteAppendOptions,
  RemoteGetOptions,
  RemoteSendOptions,
  RemoteUpdateOptions,
  RemoteWatchOptions,
  WriteOptions,
} from './call-options.js';
import { ClientCalls } from './client-calls.js';
import type { RemoteErrors } from './client-error.js';
import { parseEachQuery, parseSend } from './client-request.js';
import { eachRemote } from './each-remote.js';
import { readPage } from './read-reply.js';
import {
  type ClientSettings,
  parseClientOptions,
  type SessionClientOptions,
} from './session-client-options.js';
import { watchRemote } from './watch-remote.js';

interface RemoteResults<T extends SessionSchemas> extends SharedResults<T> {
  readonly list: RemotePage<T>;
}

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
 * keeps its idempotency key, by default a random key, so it is applied only once. If the response
 * to a `claim` is lost, its sessions can be claimed again when their leases expire. A `take` is not
 * retried if it may have been applied. A `watch` that loses its connection reconnects, and
 * continues after its last item; it sends nothing before the first `next`. The host must serve
 * `historyRoutes()` for `history`, `eventRoutes()` for `watch`, `messageRoutes()` for `send`,
 * `inbox`, `answer` and `withdraw`, and `commandRoutes()` for all others except `get`, `list`,
 * `each` and a plain `create`.
 *
 * @example
 * ```ts no-run
 * const client = new SessionClient({ baseUrl: 'https://sessions.example/api', apiKey: 'key-1' });
 * const created = await client.create({ face: 'ada', profile: 'receptionist', start: true });
 * if (created.isErr()) console.error(created.error.message);
 * else await client.append(created.value.id, [{ role: 'user', content: 'Are you open?' }]);
 * ```
 */
export class SessionClient<out T extends SessionSchemas = SessionSchemas>
  implements SessionOperations<RemoteErrors, T, RemoteResults<T>>
{
  readonly #options: SessionClientOptions;
  readonly #settings: ClientSettings;
  #calls: ClientCalls<T>;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SessionClientOptions) {
    this.#settings = parseClientOptions(options);
    this.#options = { ...options };
    this.#calls = new ClientCalls(this.#settings);
  }

  get orThrow(): OrThrow<SessionClient<T>> {
    return orThrowOf<SessionClient<T>>(this);
  }

  create(
    input: CreateSessionInput<T>,
    options: CallOptions = {},
  ): ResultAsync<RemoteCreated, RemoteErrors['create']> {
    const given = { input, options, inputNames: ['id', 'idempotencyKey', 'historyLimit'] };
    if (hasOwnId(input)) return this.#calls.request(sessions.createWithId, given);
    return this.#calls.request(sessions.openedCreate, given);
  }

  getOrCreate(
    input: GetOrCreateInput<T>,
    options: CallOptions = {},
  ): ResultAsync<RemoteGetOrCreateResult<T>, RemoteErrors['getOrCreate']> {
    return this.#calls.request(sessions.getOrCreate, { input, options, inputNames: ['id'] });
  }

  get(
    id: string,
    options: RemoteGetOptions = {},
  ): ResultAsync<RemoteSession<T>, RemoteErrors['get']> {
    return this.#calls.request(sessions.get, { id, options, optionNames: ['historyLimit'] });
  }

  history(
    id: string,
    query: HistoryQuery = {},
    options: CallOptions = {},
  ): ResultAsync<HistoryPart<T>, RemoteErrors['history']> {
    return this.#calls.request(sessions.history, { id, input: query, options });
  }

  list(
    query: ListQuery = {},
    options: CallOptions = {},
  ): ResultAsync<RemotePage<T>, RemoteErrors['list']> {
    return this.#calls.call(sessions.list, { input: query, options }, readPage<T>);
  }

  each(
    query: EachQuery = {},
    options: CallOptions = {},
  ): AsyncIterable<Result<RemoteSession<T>, RemoteErrors['each']>> {
    return eachRemote(parseEachQuery(query), (page) => this.list(page, options));
  }

  start(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['start']> {
    return this.#calls.request(commands.changes.start, { id, options });
  }

  pause(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['pause']> {
    return this.#calls.request(commands.changes.pause, { id, options });
  }

  resume(
    id: string,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['resume']> {
    return this.#calls.request(commands.changes.resume, { id, options });
  }

  extend(
    id: string,
    input: ExtendInput,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['extend']> {
    return this.#calls.request(commands.extend, { id, input, options });
  }

  update(
    id: string,
    input: UpdateInput<T>,
    options: RemoteUpdateOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['update']> {
    return this.#calls.request(commands.update, {
      id,
      input,
      options,
      optionNames: ['ifRevision'],
    });
  }

  terminate(
    id: string,
    options: WriteOptions = {},
  ): ResultAsync<SessionState, RemoteErrors['terminate']> {
    return this.#calls.request(commands.changes.terminate, { id, options });
  }

  fail(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteErrors['fail']> {
    return this.#calls.request(commands.changes.fail, { id, options });
  }

  spend(
    id: string,
    usage: Counters,
    options: WriteOptions = {},
  ): ResultAsync<Spent, RemoteErrors['spend']> {
    return this.#calls.request(commands.spend, { id, input: { usage }, options });
  }

  append(
    id: string,
    entries: readonly NewHistoryEntry<T>[],
    options: RemoteAppendOptions = {},
  ): ResultAsync<Appended, RemoteErrors['append']> {
    const optionNames = ['ifPosition', 'usage'];
    return this.#calls.request(commands.append, { id, input: { entries }, options, optionNames });
  }

  rewind(
    id: string,
    input: RewindInput<T>,
    options: CallOptions = {},
  ): ResultAsync<Appended, RemoteErrors['rewind']> {
    const inputNames = ['operationId', 'fencingToken'];
    return this.#calls.request(commands.rewind, { id, input, options, inputNames });
  }

  send(
    id: string,
    message: string | NewMessage,
    options: RemoteSendOptions = {},
  ): ResultAsync<Sent, RemoteErrors['send']> {
    const parsed = parseSend(message, options);
    if (parsed.isErr()) return errAsync(parsed.error);
    const { input, creation, options: rest } = parsed.value;
    const sent = () =>
      this.#calls.request(messages.send, { id, input, options: rest, optionNames: ['create'] });
    if (creation === undefined) return sent();
    return sent().orElse((error) => {
      if (error.type !== 'not_found') return errAsync(error);
      const create = { ...creation, id, historyLimit: 0 };
      return this.#calls
        .request(sessions.getOrCreate, { input: create, options: rest, inputNames: ['id'] })
        .andThen(sent);
    });
  }

  inbox(
    id: string,
    options: CallOptions = {},
  ): ResultAsync<readonly Message[], RemoteErrors['inbox']> {
    return this.#calls.request(messages.inbox, { id, options });
  }

  withdraw(
    id: string,
    ids?: readonly string[],
    options: CallOptions = {},
  ): ResultAsync<WithdrawnMessages, RemoteErrors['withdraw']> {
    return this.#calls.request(messages.withdraw, { id, input: { ids }, options });
  }

  take(
    id: string,
    input: TakeInput,
    options: CallOptions = {},
  ): ResultAsync<TakenMessages, RemoteErrors['take']> {
    return this.#calls.request(work.take, { id, input, options, isOnce: true });
  }

  answer(
    id: string,
    messageId: string,
    options: RemoteAnswerOptions = {},
  ): ResultAsync<Reply, RemoteErrors['answer']> {
    return new ResultAsync(
      awaitAnswer(this.#settings, options, (timeoutMs, signal) =>
        this.#calls.request(messages.answer, {
          id,
          input: { messageId, timeoutMs },
          options: { signal },
        }),
      ),
    );
  }

  lease(
    id: string,
    input: LeaseInput,
    options: CallOptions = {},
  ): ResultAsync<TakenLease, RemoteErrors['lease']> {
    const taken = this.#calls.request(work.lease, { id, input, options });
    return taken.map((given) =>
      takenLease(given, ({ fencingToken }) => this.release(id, { fencingToken })),
    );
  }

  renew(
    id: string,
    input: RenewInput,
    options: CallOptions = {},
  ): ResultAsync<SessionLease, RemoteErrors['renew']> {
    return this.#calls.request(work.renew, { id, input, options });
  }

  withLease<U>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<SessionClient<T>>) => U,
  ): ResultAsync<ReturnedValue<Awaited<U>>, RemoteErrors['withLease'] | ReturnedError<Awaited<U>>> {
    const leasing = {
      sessions: (fencingToken: number) =>
        new SessionClient<T>(this.#options).#carry({ id, fencingToken }),
      lease: () => this.lease(id, input),
      // Limited to a third of the lease, so that a lost answer leaves time for another attempt.
      renew: (fencingToken: number, seconds: number) =>
        this.renew(id, { fencingToken, seconds }, { timeoutMs: Math.max(1, (seconds * 1000) / 3) }),
      release: (fencingToken: number) => this.release(id, { fencingToken }),
    };
    return new ResultAsync(withLease(leasing, this.#settings.timing, input, use));
  }

  wake(
    id: string,
    input: WakeOptions = {},
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['wake']> {
    return this.#calls.send(work.wake, { id, input, options });
  }

  claim(
    input: ClaimInput,
    options: CallOptions = {},
  ): ResultAsync<RemoteClaims<T>, RemoteErrors['claim']> {
    return this.#calls.request(work.claim, { id: '', input, options });
  }

  countWaiting(options: CallOptions = {}): ResultAsync<WaitingCount, RemoteErrors['countWaiting']> {
    return this.#calls.request(work.countWaiting, { options });
  }

  cancel(
    id: string,
    input: CancelOptions = {},
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['cancel']> {
    return this.#calls.send(work.cancel, { id, input, options });
  }

  release(
    id: string,
    input: ReleaseInput,
    options: CallOptions = {},
  ): ResultAsync<Released, RemoteErrors['release']> {
    return this.#calls.request(work.release, { id, input, options });
  }

  redact(
    id: string,
    positions: readonly number[],
    options: CallOptions = {},
  ): ResultAsync<void, RemoteErrors['redact']> {
    return this.#calls.send(commands.redact, { id, input: { positions }, options });
  }

  delete(id: string, options: CallOptions = {}): ResultAsync<void, RemoteErrors['delete']> {
    return this.#calls.send(commands.remove, { id, options });
  }

  watch(
    id: string,
    options: RemoteWatchOptions = {},
  ): AsyncIterable<Result<RemoteChange<T>, RemoteErrors['watch']>> & AsyncDisposable {
    return watchRemote<T>(this.#settings, id, options);
  }

  #carry(fence: Fence): this {
    this.#calls = new ClientCalls(this.#settings, fence);
    return this;
  }
}
