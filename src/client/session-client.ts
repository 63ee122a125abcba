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
 * Creates, drives, reads and lists the interaction sessions behind a mounted engine, those of the tenant that the API key
 * belongs to: the operations of `SessionService`, over `fetch`. Nothing throws and nothing rejects. What fails for a
 * moment is tried again, a write under one and the same key, so that it is applied once.
 */
export class SessionClient {
  readonly #settings: Result<ClientSettings, InvalidInput>;

  /** Options that break a rule do not throw here: every operation then answers `invalid_input` naming them. */
  constructor(options: SessionClientOptions) {
    this.#settings = readClientOptions(options);
  }

  /** A new session, IDLE. Without an `idempotencyKey` the client makes one. */
  create(input: CreateSessionInput, options: CallOptions = {}): ResultAsync<RemoteCreated, RemoteCreateError> {
    return this.#run(options, () => requestFor(create, { input, body: () => ({ ...input }) }));
  }

  /** The session with its history, as it is now. */
  get(id: string, options: CallOptions = {}): ResultAsync<RemoteSession, RemoteReadError> {
    return this.#run(options, () => requestFor(get, { id }));
  }

  /**
   * A part of the session's history: its last entries, or those behind a position. A position that the history has not is
   * `invalid_input` that names `after`. The host must serve `historyRoutes()`.
   */
  history(
    id: string,
    query: HistoryQuery = {},
    options: CallOptions = {},
  ): ResultAsync<HistoryPart, RemoteHistoryError> {
    return this.#run(options, () => requestFor(history, { id, query }));
  }

  /** One page of the sessions with their histories, newest first unless asked for otherwise. */
  list(query: ListQuery = {}, options: CallOptions = {}): ResultAsync<RemotePage, RemoteListError> {
    return this.#run(options, () => pageRequest(query));
  }

  /**
   * All sessions, page after page by cursor: each that is there from the beginning to the end comes once. One that cannot
   * be read is a `corrupt_record` among them; after any other error nothing comes. Never throws. The options are those of
   * each page.
   */
  each(query: EachQuery = {}, options: CallOptions = {}): AsyncIterable<Result<RemoteSession, RemoteListError>> {
    return eachRemote((page) => this.list(page, options), query);
  }

  /** IDLE to ACTIVE: the clock runs. */
  start(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'start', options);
  }

  /** ACTIVE to PAUSED: the clock stops. */
  pause(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'pause', options);
  }

  /** PAUSED to ACTIVE: the clock runs on. */
  resume(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'resume', options);
  }

  /** To TERMINATED, `terminated`. A session that has ended already stays as it is, and that is a success. */
  terminate(id: string, options: WriteOptions = {}): ResultAsync<SessionState, RemoteChangeError> {
    return this.#change(id, 'terminate', options);
  }

  /** To TERMINATED, `failed`. */
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

  /** Removes the session whole. One that is not there is a success too: afterwards there is none. */
  delete(id: string, options: CallOptions = {}): ResultAsync<void, RemoteDeleteError> {
    return this.#run(options, () =>
      requestFor(remove, { id }).map((request) => ({
        ...request,
        read: ({ status }: Reply) => (status === remove.output.status ? { value: undefined } : undefined),
      })),
    );
  }

  /**
   * What a session does: a snapshot of what it is now, then its events, in order, until it has ended or is deleted. With
   * `from`, the position of an event or of a snapshot, it goes on behind that one without a snapshot. A connection that is
   * cut off is taken up behind the last event; where one may be missing, another snapshot comes in its place. The last
   * item is an error where there is one. Aborting the signal ends it at once, and leaving the loop closes the connection.
   * Nothing is sent before the first item is asked for.
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
