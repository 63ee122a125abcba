import { err, ok, type Result } from 'neverthrow';
import { waitMs } from './backoff.js';
import { letGo } from './bounded-body.js';
import { readCodes } from './calls.js';
import { type RemoteWatchError, unexpectedAnswer, unreachable } from './errors.js';
import { EventSource } from './event-source.js';
import { type AskError, Exchange, type Failure, mayPass } from './exchange.js';
import { readFrame } from './frames.js';
import type { ClientSettings } from './options.js';
import { refusalOf } from './refusal.js';
import type { RemoteChange } from './remote.js';
import { pause } from './timing.js';

type WatchCode = (typeof readCodes)[number];
type WatchFailure = Failure<AskError<WatchCode>>;
export type WatchItem = Result<RemoteChange, RemoteWatchError>;

/** What to watch, read. */
export interface Watched {
  /** Milliseconds for which a stream that is cut off is tried again. */
  readonly timeoutMs: number;
  readonly settings: ClientSettings;
  readonly id: string;
  readonly path: string;
  readonly from: string | undefined;
}

/** How long a client waits before it comes back, where the server does not say. */
const RETRY_MS = 1000;

/** Unlike a browser, a program may wait for a server that says nonsense. */
const MOST_RETRY_MS = 30_000;

/** One stream of a session, begun behind a position. Nothing where there is nothing more to come. */
const open = async (
  { settings, id, path }: Watched,
  position: string | undefined,
  connection: AbortController,
  signal: AbortSignal,
): Promise<Result<EventSource | undefined, WatchFailure>> => {
  const headers = { Accept: 'text/event-stream', ...(position === undefined ? {} : { 'Last-Event-ID': position }) };
  const asked = { outgoing: { method: 'GET', path, headers }, codes: readCodes, context: { id } } as const;
  const exchange = new Exchange(settings, asked);
  const patience = { ms: settings.attemptTimeoutMs, signal };
  const answer = await exchange.send(patience, connection);
  if (answer.isErr()) return err(answer.error);
  const { status, headers: told, body } = answer.value;
  if (status === 204) return ok(undefined);
  if (status !== 200) {
    const reply = await exchange.read(answer.value, patience, connection);
    return reply.andThen((read) => err(exchange.refusal(read)));
  }
  if (!told.get('content-type')?.startsWith('text/event-stream')) {
    letGo(body);
    return err(exchange.unexpected('is no stream of events', status));
  }
  const { timing, silenceMs, maxResponseBytes: maxCharacters } = settings;
  return ok(new EventSource(answer.value, { timing, silenceMs, maxCharacters, signal }));
};

/** What a client knows of the session while connections come and go. */
interface Known {
  /** Behind what has been told. */
  position: string | undefined;
  /** Of the last event; 0 where that is not known, which is so behind a snapshot. */
  sequence: number;
  hasBegun: boolean;
}

const unexpected = (what: string): WatchFailure => ({
  error: unexpectedAnswer(`the stream of events ${what}`, 200, 'not_applied'),
  mayPass: false,
});

const lost: WatchFailure = {
  error: unreachable('network', 'the stream of events broke off', 'not_applied'),
  mayPass: true,
};

const unavailable = (code: string, id: string): WatchFailure => {
  const problem = { code, detail: 'the service could not go on with the events', errors: undefined };
  const error = refusalOf(problem, readCodes, { id, outcome: 'not_applied' });
  return error === undefined ? unexpected('ended with an unknown error') : { error, mayPass: mayPass(error.type) };
};

/** The changes that one connection tells, as far as they are new; at its end why it ended, and nothing where all is told. */
async function* changesOf(
  source: EventSource,
  id: string,
  known: Known,
): AsyncGenerator<RemoteChange, WatchFailure | undefined> {
  for (;;) {
    const message = await source.next();
    if (message === 'left') return undefined;
    if (message === 'lost') return lost;
    if (message === 'too_large') return unexpected('has an event that is too large');
    const frame = readFrame(id, message);
    if (frame.kind === 'end') return undefined;
    if (frame.kind === 'unavailable') return unavailable(frame.code, id);
    if (frame.kind === 'broken') return unexpected('has an event that is none of this service');
    if (frame.kind === 'other') continue;
    const { change } = frame;
    if (change.type === 'session.snapshot') {
      known.sequence = 0;
    } else if (change.type !== 'session.expiring') {
      const { sequence } = change;
      // Told again, as an event may be.
      if (sequence <= known.sequence) continue;
      if (known.sequence > 0 && sequence > known.sequence + 1) {
        // Something was not told: begin again with what the session is now.
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

/** Follows a session over as many connections as it takes. */
export async function* follow(watched: Watched, signal: AbortSignal): AsyncGenerator<WatchItem, void> {
  const { settings, id } = watched;
  const { timing, retries } = settings;
  const known: Known = { position: watched.from, sequence: 0, hasBegun: false };
  let lostAt = timing.now();
  let firstMs = RETRY_MS;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const connection = new AbortController();
    const opened = await open(watched, known.position, connection, signal);
    let failure: WatchFailure | undefined;
    if (opened.isErr()) {
      failure = opened.error;
      // It was there, and is not any more: it has been deleted meanwhile.
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
      firstMs = Math.min(source.retryMs ?? firstMs, MOST_RETRY_MS);
      if (failure === lost || source.hasLived) lostAt = timing.now();
      if (source.hasLived) failures = 0;
    }
    if (failure === undefined || signal.aborted) return;
    const { error, retryAfter } = failure;
    const wait = waitMs({ timing, failures, retryAfter, firstMs });
    if (!failure.mayPass || retries === 0 || timing.now() + wait >= lostAt + watched.timeoutMs) {
      yield err(error);
      return;
    }
    await pause({ timing, ms: wait, signal });
  }
}
