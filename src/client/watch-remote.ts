import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import type { WatchSignal } from '../events/session-event.js';
import { watch } from '../operations/event-shapes.js';
import { type RemoteWatchError, unexpectedAnswer, unreachable } from './call-error.js';
import { type RemoteWatchOptions, readRemoteWatch } from './call-options.js';
import { type ClientRequest, requestFor } from './client-request.js';
import { pause } from './client-timing.js';
import { EventStreamReader } from './event-stream-reader.js';
import { Exchange, type FailedAttempt, isRetryable, type RequestError } from './exchange.js';
import { letGo } from './read-body.js';
import type { RemoteChange } from './read-event.js';
import { readEvent } from './read-event.js';
import { refusalOf } from './read-problem.js';
import { backoffMs } from './send-with-retries.js';
import type { ClientSettings } from './session-client-options.js';

type WatchCode = (typeof watch)['errors'][number];
type FailedWatch = FailedAttempt<RequestError<WatchCode>>;
type WatchItem = Result<RemoteChange, RemoteWatchError>;

/** A watch with its checked options. */
interface Watched {
  readonly settings: ClientSettings;
  readonly id: string;
  readonly request: ClientRequest<unknown, WatchCode>;
  readonly from: string | undefined;
  /** Milliseconds for which a lost connection is retried. */
  readonly timeoutMs: number;
}

/** Milliseconds before a reconnect, unless the server has sent a delay. */
const RETRY_MS = 1000;

/** Maximum delay that a server can request, in milliseconds. Browsers have such a maximum of their own. */
const MAX_RETRY_MS = 30_000;

/** Opens the stream of a session after a position; undefined if the service answers that the stream is over. */
const open = async (
  { settings, request }: Watched,
  position: string | undefined,
  connection: AbortController,
  signal: AbortSignal,
): Promise<Result<EventStreamReader | undefined, FailedWatch>> => {
  const headers = { Accept: 'text/event-stream', ...(position === undefined ? {} : { 'Last-Event-ID': position }) };
  const exchange = new Exchange(settings, { ...request, headers });
  const limits = { ms: settings.attemptTimeoutMs, signal };
  const response = await exchange.send(limits, connection);
  if (response.isErr()) return err(response.error);
  const { status, headers: answered, body } = response.value;
  if (status === 204) return ok(undefined);
  if (status !== 200) {
    const reply = await exchange.read(response.value, limits, connection);
    return reply.andThen((read) => err(exchange.refusal(read)));
  }
  if (!answered.get('content-type')?.startsWith('text/event-stream')) {
    letGo(body);
    return err(exchange.unexpected('is no stream of events', status));
  }
  const { timing, silenceMs, maxResponseBytes: maxCharacters } = settings;
  return ok(new EventStreamReader(response.value, { timing, silenceMs, maxCharacters, signal }));
};

/** The state of a watch that is kept across connections. */
interface Known {
  /** The position to continue after. */
  position: string | undefined;
  /** Sequence of the last event; 0 if unknown, as after a snapshot. */
  sequence: number;
  hasBegun: boolean;
}

const unexpected = (what: string): FailedWatch => ({
  error: unexpectedAnswer(`the stream of events ${what}`, 200, 'not_applied'),
  isRetryable: false,
});

const lost: FailedWatch = {
  error: unreachable('network', 'the stream of events broke off', 'not_applied'),
  isRetryable: true,
};

const unavailable = (code: string, id: string): FailedWatch => {
  const problem = { code, detail: 'the service could not go on with the events', errors: undefined };
  const error = refusalOf(problem, watch, { id, outcome: 'not_applied' });
  return error === undefined
    ? unexpected('ended with an unknown error')
    : { error, isRetryable: isRetryable(error.type) };
};

/**
 * Yields the new changes of one connection. Returns why the connection ended, or undefined if the session has ended
 * too.
 */
async function* changesOf(
  source: EventStreamReader,
  id: string,
  known: Known,
): AsyncGenerator<RemoteChange, FailedWatch | undefined> {
  for (;;) {
    const message = await source.next();
    if (message === 'left') return undefined;
    if (message === 'lost') return lost;
    if (message === 'too_large') return unexpected('has an event that is too large');
    const event = readEvent(id, message);
    if (event.kind === 'end') return undefined;
    if (event.kind === 'unavailable') return unavailable(event.code, id);
    if (event.kind === 'broken') return unexpected('has an event that is none of this service');
    if (event.kind === 'other') continue;
    const { change } = event;
    if (change.type === 'session.snapshot') {
      known.sequence = 0;
    } else if (change.type !== 'session.expiring') {
      const { sequence } = change;
      // An event may be sent twice.
      if (sequence <= known.sequence) continue;
      if (known.sequence > 0 && sequence > known.sequence + 1) {
        // An event is missing: start again with a snapshot.
        known.position = undefined;
        known.sequence = 0;
        return lost;
      }
      known.sequence = sequence;
    }
    known.position = change.position;
    known.hasBegun = true;
    yield change;
  }
}

/** Watches a session over any number of connections. */
async function* follow(watched: Watched, signal: AbortSignal): AsyncGenerator<WatchItem, void> {
  const { settings, id } = watched;
  const { timing, retries } = settings;
  const known: Known = { position: watched.from, sequence: 0, hasBegun: false };
  let lostAt = timing.now();
  let firstMs = RETRY_MS;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const connection = new AbortController();
    const opened = await open(watched, known.position, connection, signal);
    let failure: FailedWatch | undefined;
    if (opened.isErr()) {
      failure = opened.error;
      // The session was deleted while the client was not connected.
      if (known.hasBegun && failure.error.type === 'not_found') return;
    } else {
      const source = opened.value;
      if (source === undefined) return;
      try {
        const changes = changesOf(source, id, known);
        let change = await changes.next();
        for (; !change.done; change = await changes.next()) yield ok(change.value);
        failure = change.value;
      } finally {
        source.close();
        connection.abort();
      }
      firstMs = Math.min(source.retryMs ?? firstMs, MAX_RETRY_MS);
      if (failure === lost || source.hasLived) lostAt = timing.now();
      if (source.hasLived) failures = 0;
    }
    if (failure === undefined || signal.aborted) return;
    const { error, retryAfter } = failure;
    const wait = backoffMs({ timing, failures, retryAfter, firstMs });
    if (!failure.isRetryable || retries === 0 || timing.now() + wait >= lostAt + watched.timeoutMs) {
      yield err(error);
      return;
    }
    await pause({ timing, ms: wait, signal });
  }
}

interface Begun {
  readonly watched: Watched;
  readonly signal: WatchSignal | undefined;
}

const readWatched = (settings: ClientSettings, id: string, options: RemoteWatchOptions): Result<Begun, InvalidInput> =>
  readRemoteWatch(options).andThen(({ signal, from, warnBefore, timeoutMs = settings.timeoutMs }) =>
    requestFor(watch, { id, query: warnBefore === undefined ? {} : { warnBefore } }).map((request) => ({
      signal,
      watched: { settings, id, request, from, timeoutMs },
    })),
  );

/** Watches until the caller or its signal ends the iteration. An error is the last item. */
async function* safely(begun: Result<Begun, InvalidInput>, gone: AbortController): AsyncGenerator<WatchItem, void> {
  if (begun.isErr()) {
    yield err(begun.error);
    return;
  }
  const { watched, signal } = begun.value;
  const stop = (): void => gone.abort();
  try {
    if (signal?.aborted) return;
    signal?.addEventListener('abort', stop);
    yield* follow(watched, gone.signal);
  } catch (cause) {
    yield err(unreachable('network', 'the client failed in a way that it should not', 'not_applied', cause));
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The changes of a session, as an iterable that never throws. */
export const watchRemote = (
  settings: Result<ClientSettings, InvalidInput>,
  id: string,
  options: RemoteWatchOptions,
): AsyncIterable<WatchItem> => ({
  [Symbol.asyncIterator]: () => {
    const gone = new AbortController();
    const items = safely(
      settings.andThen((known) => readWatched(known, id, options)),
      gone,
    );
    return {
      next: () => items.next(),
      // `return` of a generator would wait for its pending `next`.
      return: () => {
        gone.abort();
        return items.return();
      },
    };
  },
});
