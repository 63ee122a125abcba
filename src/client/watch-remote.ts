import { err, ok, type Result } from 'neverthrow';
import { streamUnavailable } from '../endpoints/event-shapes.js';
import { received } from '../schema/wire.js';
import type { RemoteChange } from '../service/remote-results.js';
import { disposable } from '../session/async-dispose.js';
import type { InvalidInput } from '../session/errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { RemoteWatchOptions } from './call-options.js';
import type { RemoteErrors, UnexpectedAnswer } from './client-error.js';
import { parseWatch, type WatchRequest } from './client-request.js';
import { errorInProblem } from './error-in-problem.js';
import { EventStreamReader } from './event-stream-reader.js';
import { Exchange, isRetryable } from './exchange.js';
import { isChange, readChange } from './read-change.js';
import { hasStream, parseJson } from './read-reply.js';
import type { ClientSettings } from './session-client-options.js';
import { sleep } from './unless-interrupted.js';

type WatchItem = Result<RemoteChange, RemoteErrors['watch']>;

/** Milliseconds before a reconnect, unless the server has sent a delay. */
const RETRY_MS = 1000;

/** Maximum delay that a server can request, in milliseconds. Browsers have a similar maximum. */
const MAX_RETRY_MS = 30_000;

/**
 * One iteration over a session's changes, over any number of connections. It is in `begun` until it
 * is over. An error is the last item. Never throws.
 */
class RemoteWatch implements AsyncIterator<WatchItem, void> {
  /** Aborted when the caller leaves the iteration or aborts its signal. */
  readonly #left = new AbortController();
  readonly #items = this.#watch();
  readonly #begun: Set<RemoteWatch>;
  readonly #settings: ClientSettings;
  readonly #request: WatchRequest;
  readonly #exchange: Exchange<WatchRequest['operation']['errors'][number]>;
  #cursor: string | undefined;
  #hasBegun = false;
  /** Number of consecutive connections that have received nothing. */
  #failures = 0;
  #lostAt = 0;
  #retryMs = RETRY_MS;

  constructor(settings: ClientSettings, request: WatchRequest, begun: Set<RemoteWatch>) {
    this.#settings = settings;
    this.#request = request;
    this.#exchange = new Exchange(settings, { ...request, signal: this.#left.signal });
    this.#cursor = request.cursor;
    this.#begun = begun;
    begun.add(this);
  }

  async next(): Promise<IteratorResult<WatchItem, void>> {
    const item = await this.#items.next();
    if (item.done === true) this.#begun.delete(this);
    return item;
  }

  /** Ends the wait for the next item first: the generator would return only after it. */
  return(): Promise<IteratorResult<WatchItem, void>> {
    this.#begun.delete(this);
    this.#left.abort();
    return this.#items.return();
  }

  async *#watch(): AsyncGenerator<WatchItem, void> {
    const { signal } = this.#request;
    const leave = (): void => this.#left.abort();
    try {
      if (signal?.aborted) return;
      signal?.addEventListener('abort', leave);
      yield* this.#connections();
    } catch (cause) {
      yield err(this.#exchange.unreachable('network', 'the client failed unexpectedly', cause));
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  async *#connections(): AsyncGenerator<WatchItem, void> {
    const { timing, retries } = this.#settings;
    const { timeoutMs = this.#settings.timeoutMs } = this.#request;
    const { signal } = this.#left;
    this.#lostAt = timing.now();
    while (!signal.aborted) {
      const failure = yield* this.#connection();
      if (failure === undefined || signal.aborted) return;
      const wait = this.#exchange.delayMs(this.#failures, this.#retryMs);
      const isLate = timing.now() + wait >= this.#lostAt + timeoutMs;
      if (!isRetryable(failure) || retries === 0 || isLate) {
        yield err(failure);
        return;
      }
      this.#failures += 1;
      await sleep({ timing, ms: wait, signal });
    }
  }

  /**
   * Yields the changes of one connection. Returns why it failed; undefined if the watch is over.
   */
  async *#connection(): AsyncGenerator<WatchItem, RemoteErrors['watch'] | undefined> {
    const connection = new AbortController();
    const opened = await this.#open(connection);
    if (opened.isErr()) {
      // The session may have been deleted while the client was not connected.
      if (this.#hasBegun && opened.error.type === 'not_found') return undefined;
      return opened.error;
    }
    const stream = opened.value;
    if (stream === undefined) return undefined;
    try {
      const failure = yield* this.#changes(stream);
      if (failure?.type === 'unreachable' || stream.hasLived)
        this.#lostAt = this.#settings.timing.now();
      if (stream.hasLived) this.#failures = 0;
      this.#retryMs = Math.min(stream.retryMs ?? this.#retryMs, MAX_RETRY_MS);
      return failure;
    } finally {
      stream.close();
      connection.abort();
    }
  }

  /**
   * Opens the stream after the last item; undefined if the service reports that it is over.
   */
  async #open(
    connection: AbortController,
  ): Promise<Result<EventStreamReader | undefined, RemoteErrors['watch']>> {
    const { timing, attemptTimeoutMs, silenceMs, maxResponseBytes } = this.#settings;
    const limits = { timing, ms: silenceMs, signal: this.#left.signal };
    const read = async (
      response: Response,
    ): Promise<Result<EventStreamReader | undefined, UnexpectedAnswer>> => {
      if (response.status === 204) return ok(undefined);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (!isStream)
        return err(this.#exchange.unexpected('is not a stream of events', response.status));
      if (hasStream(response))
        return ok(new EventStreamReader(response.body, limits, maxResponseBytes));
      const what = 'has no stream: a watch needs a `fetch` whose responses have a `body` stream';
      return err(this.#exchange.unexpected(what, response.status));
    };
    return this.#exchange.attempt(attemptTimeoutMs, connection, read, {
      Accept: 'text/event-stream',
      ...(this.#cursor && { 'Last-Event-ID': this.#cursor }),
    });
  }

  /** Yields the new changes of a stream. Returns why it failed; undefined if the watch is over. */
  async *#changes(
    stream: EventStreamReader,
  ): AsyncGenerator<WatchItem, RemoteErrors['watch'] | undefined> {
    for (;;) {
      const message = await stream.next();
      if (message === 'aborted') return undefined;
      if (message === 'lost')
        return this.#exchange.unreachable(
          'network',
          'the stream of events broke off',
          stream.cause,
        );
      if (message === 'too_large')
        return this.#exchange.unexpected('has an event that is too large', 200);
      const { event = '', data } = message;
      if (event === 'end') return undefined;
      if (event === 'unavailable') return this.#unavailable(data);
      if (!isChange(event)) continue;
      const change = readChange(this.#request.id, event, message);
      if (change === undefined)
        return this.#exchange.unexpected('has an event that is not from this service', 200);
      this.#cursor = change.cursor;
      this.#hasBegun = true;
      yield ok(change);
    }
  }

  #unavailable(data: string): RemoteErrors['watch'] {
    const code = received(streamUnavailable, parseJson(data))?.code;
    const problem = { code, detail: 'the service could not continue the stream of events' };
    return (
      errorInProblem(problem, this.#request, 'not_applied') ??
      this.#exchange.unexpected('ended with an unknown error', 200)
    );
  }
}

async function* refuse(error: InvalidInput): AsyncGenerator<WatchItem, void> {
  yield err(error);
}

/**
 * The changes of a session, as an iterable that never throws. Disposing of it ends its iterations.
 */
export function watchRemote<T extends SessionSchemas>(
  settings: ClientSettings,
  id: string,
  options: RemoteWatchOptions,
): AsyncIterable<Result<RemoteChange<T>, RemoteErrors['watch']>> & AsyncDisposable;
export function watchRemote(
  settings: ClientSettings,
  id: string,
  options: RemoteWatchOptions,
): AsyncIterable<WatchItem> & AsyncDisposable {
  const read = parseWatch(id, options);
  if (read.isErr()) return disposable(refuse(read.error), async () => undefined);
  const begun = new Set<RemoteWatch>();
  let isOver = false;
  const begin = (): RemoteWatch => {
    const items = new RemoteWatch(settings, read.value, begun);
    // An iteration that was left before it began yields nothing.
    if (isOver) items.return().catch(() => undefined);
    return items;
  };
  return disposable({ [Symbol.asyncIterator]: begin }, async () => {
    isOver = true;
    await Promise.all([...begun].map((items) => items.return()));
  });
}
