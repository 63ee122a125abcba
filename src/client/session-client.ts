import { err, type Result, ResultAsync } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { append, changes, remove } from '../operations/command-operations.js';
import type { OperationError } from '../operations/operation.js';
import type { RemoteCreated, RemotePage, RemoteSession } from '../operations/outputs.js';
import { create, get, history } from '../operations/session-operations.js';
import type { CreateSessionInput } from '../service/create-session.js';
import type { Appended, HistoryPart, HistoryQuery, NewHistoryEntry } from '../service/history.js';
import type { EachQuery, ListQuery } from '../service/list-sessions.js';
import type { SessionState } from '../session/session.js';
import type { CallerCommand } from '../session/session-status.js';
import type {
  RemoteAppendError,
  RemoteChangeError,
  RemoteCreateError,
  RemoteDeleteError,
  RemoteHistoryError,
  RemoteListError,
  RemoteReadError,
  RemoteWatchError,
} from './call-error.js';
import { type CallOptions, type RemoteWatchOptions, readCallOptions, type WriteOptions } from './call-options.js';
import { type ClientRequest, pageRequest, type Reply, requestFor } from './client-request.js';
import { eachRemote } from './each-remote.js';
import type { RequestError } from './exchange.js';
import type { RemoteChange } from './read-event.js';
import { sendWithRetries } from './send-with-retries.js';
import { type ClientSettings, readClientOptions, type SessionClientOptions } from './session-client-options.js';
import { watchRemote } from './watch-remote.js';

/**
 * Creates, changes, reads and lists sessions over HTTP: the operations of `SessionService`, for the tenant of the API
 * key. Never throws or rejects. Temporary failures are retried; a write keeps its idempotency key, so it is applied
 * only once.
 */
export class SessionClient {
  readonly #settings: Result<ClientSettings, InvalidInput>;

  /** Never throws. With invalid options, every operation returns `invalid_input` that names them. */
  constructor(options: SessionClientOptions) {
    this.#settings = readClientOptions(options);
  }

  /** Creates a session in the status IDLE. Without an `idempotencyKey` the client generates one. */
  create(input: CreateSessionInput, options: CallOptions = {}): ResultAsync<RemoteCreated, RemoteCreateError> {
    return this.#run(options, () => requestFor(create, { input, body: () => ({ ...input }) }));
  }

  /** Reads a session with its history. */
  get(id: string, options: CallOptions = {}): ResultAsync<RemoteSession, RemoteReadError> {
    return this.#run(options, () => requestFor(get, { id }));
  }

  /**
   * Reads a part of a history: the last entries, or those behind a position. A position that is not in this history is
   * `invalid_input` for `after`. The host must serve `historyRoutes()`.
   */
  history(
    id: string,
    query: HistoryQuery = {},
    options: CallOptions = {},
  ): ResultAsync<HistoryPart, RemoteHistoryError> {
    return this.#run(options, () => requestFor(history, { id, query }));
  }

  /** Reads a page of the sessions with their histories, newest first by default. */
  list(query: ListQuery = {}, options: CallOptions = {}): ResultAsync<RemotePage, RemoteListError> {
    return this.#run(options, () => pageRequest(query));
  }

  /**
   * Iterates over all sessions, page by page with a cursor. A session that exists during the whole iteration is yielded
   * exactly once. A session that cannot be read is a `corrupt_record` item; any other error is the last item. Never
   * throws. The options apply to each page.
   */
  each(query: EachQuery = {}, options: CallOptions = {}): AsyncIterable<Result<RemoteSession, RemoteListError>> {
    return eachRemote((page) => this.list(page, options), query);
  }

  /** IDLE to ACTIVE. The time limit runs. */
  start(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'start', options);
  }

  /** ACTIVE to PAUSED. The time limit stops. */
  pause(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'pause', options);
  }

  /** PAUSED to ACTIVE. The time limit runs on. */
  resume(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'resume', options);
  }

  /** Ends the session with the reason `terminated`. Succeeds without a change if the session has ended. */
  terminate(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'terminate', options);
  }

  /** Ends the session with the reason `failed`. */
  fail(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'fail', options);
  }

  /** Adds entries to the history of an ACTIVE or PAUSED session, all or none. */
  append(
    id: string,
    entries: readonly NewHistoryEntry[],
    options: WriteOptions = {},
  ): ResultAsync<Appended, RemoteAppendError> {
    return this.#run(options, () => requestFor(append, { id, options, body: () => ({ entries }) }));
  }

  /** Deletes the session. Succeeds if there is none. */
  delete(id: string, options: CallOptions = {}): ResultAsync<void, RemoteDeleteError> {
    return this.#run(options, () =>
      requestFor(remove, { id }).map((request) => ({
        ...request,
        read: ({ status }: Reply) => (status === remove.output.status ? { value: undefined } : undefined),
      })),
    );
  }

  /**
   * Watches a session: yields a snapshot, then its events in the order of their sequence, until the session has ended
   * or is deleted. With `from`, the position of an event or a snapshot, it continues behind that item without a
   * snapshot. If the connection is lost, it reconnects and continues after the last event; if an event may be missing,
   * it yields another snapshot. An error is the last item. Aborting the signal ends the iteration at once, and leaving
   * the loop closes the connection. Nothing is sent before the first `next`. Never throws. The host must serve
   * `eventRoutes()`.
   */
  watch(id: string, options: RemoteWatchOptions = {}): AsyncIterable<Result<RemoteChange, RemoteWatchError>> {
    return watchRemote(this.#settings, id, options);
  }

  #change(id: string, command: CallerCommand, options: WriteOptions): ResultAsync<SessionState, RemoteChangeError> {
    return this.#run(options, () => requestFor(changes[command], { id, options }));
  }

  #run<T, C extends OperationError>(
    options: CallOptions,
    read: () => Result<ClientRequest<T, C>, InvalidInput>,
  ): ResultAsync<T, RequestError<C> | InvalidInput> {
    const how = this.#settings.andThen((settings) => readCallOptions(options).map((known) => ({ settings, known })));
    if (how.isErr()) return new ResultAsync(Promise.resolve(err(how.error)));
    const request = read();
    if (request.isErr()) return new ResultAsync(Promise.resolve(err(request.error)));
    return sendWithRetries(how.value.settings, request.value, how.value.known);
  }
}
