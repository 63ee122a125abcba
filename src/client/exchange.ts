import { err, ok, type Result } from 'neverthrow';
import type { WatchSignal } from '../events/event.js';
import { readBody, tooMuch } from './bounded-body.js';
import {
  aborted,
  type CallError,
  keyUnavailable,
  type Outcome,
  type RemoteErrorOf,
  unexpectedAnswer,
  unreachable,
} from './errors.js';
import { type ClientSettings, isKey } from './options.js';
import { parseJsonBytes } from './parse-json.js';
import { type Context, type RemoteCode, readProblem, refusalOf } from './refusal.js';
import { bounded, late, left } from './timing.js';

/** What is sent. */
export interface Outgoing {
  readonly method: 'GET' | 'POST';
  /** Behind the base URL, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

/** What is asked, and which errors of the engine may come of it. */
export interface Asked<C extends RemoteCode> {
  readonly outgoing: Outgoing;
  readonly codes: readonly C[];
  readonly context?: Partial<Context>;
}

export type AskError<C extends RemoteCode> = RemoteErrorOf<C> | CallError;

/** An error, and what its answer said of another attempt. */
export interface Failure<E> {
  readonly error: E;
  readonly retryAfter?: string | null;
  readonly mayPass: boolean;
}

/** How long one attempt may take, and what ends it. */
interface Patience {
  readonly ms: number;
  readonly signal: WatchSignal | undefined;
}

/** What the body of an answer holds: JSON, if it is that. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Those that stand for a moment's trouble, whoever says so. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const passing: ReadonlySet<string> = new Set([
  'store_unavailable',
  'authenticator_unavailable',
  'too_many_streams',
  'conflict',
]);

export const mayPass = (type: string): boolean => passing.has(type);

/** One call on its way: its attempts, and what may have become of it so far. */
export class Exchange<C extends RemoteCode> {
  readonly #settings: ClientSettings;
  readonly #asked: Asked<C>;
  #wasSent = false;

  constructor(settings: ClientSettings, asked: Asked<C>) {
    this.#settings = settings;
    this.#asked = asked;
  }

  get outcome(): Outcome {
    return this.#wasSent && this.#asked.outgoing.method === 'POST' ? 'unknown' : 'not_applied';
  }

  now(): number {
    return this.#settings.timing.now();
  }

  /** Sends the request, and gives the answer before its body. `connection` is cut where nobody waits any more. */
  async send({ ms, signal }: Patience, connection: AbortController): Promise<Result<Response, Failure<AskError<C>>>> {
    const { fetch, baseUrl, timing } = this.#settings;
    const bounds = { timing, ms, signal };
    const key = await this.#key(bounds);
    if (key.isErr()) return err(key.error);
    const { method, path, headers, body } = this.#asked.outgoing;
    return this.#within(bounds, connection, () => {
      this.#wasSent = true;
      return fetch(baseUrl + path, {
        method,
        headers: { ...this.#settings.headers, ...key.value, ...headers },
        // Elsewhere the key has no business.
        redirect: 'manual',
        signal: connection.signal,
        ...(body === undefined ? {} : { body }),
      });
    });
  }

  /** The body of an answer. */
  async read(response: Response, { ms, signal }: Patience, connection: AbortController) {
    const { timing, maxResponseBytes } = this.#settings;
    const read = await this.#within({ timing, ms, signal }, connection, () => readBody(response, maxResponseBytes));
    return read.andThen((bytes): Result<Reply, Failure<AskError<C>>> => {
      const { status, headers } = response;
      if (bytes === tooMuch) return err(this.unexpected(`is larger than ${maxResponseBytes} bytes`, status));
      return ok({ status, headers, body: parseJsonBytes(bytes) });
    });
  }

  /** What an answer says that is no success. */
  refusal({ status, headers, body }: Reply): Failure<AskError<C>> {
    const { codes, context } = this.#asked;
    const retryAfter = headers.get('retry-after');
    const problem = status >= 400 ? readProblem(body) : undefined;
    const error = problem && refusalOf(problem, codes, { ...context, outcome: this.outcome });
    if (error !== undefined) return { error, retryAfter, mayPass: mayPass(error.type) };
    // A browser does not tell the status of a redirect.
    if (status === 0 || (status >= 300 && status < 400)) return this.unexpected('is a redirect', status);
    if (!temporary.has(status)) return this.unexpected('is none of this service', status);
    const message = `what stands in front of the service answered ${status}`;
    return { error: unreachable('gateway', message, this.outcome), retryAfter, mayPass: true };
  }

  unexpected(what: string, status: number): Failure<AskError<C>> {
    const message = `the answer ${what} (status ${status})`;
    return { error: unexpectedAnswer(message, status, this.outcome), mayPass: false };
  }

  aborted(): Failure<AskError<C>> {
    return { error: aborted(this.outcome), mayPass: false };
  }

  async #key(bounds: Parameters<typeof bounded>[0]) {
    const { apiKey } = this.#settings;
    const failed = (message: string, cause?: unknown) =>
      err<Readonly<Record<string, string>>, Failure<AskError<C>>>({
        error: keyUnavailable(message, cause),
        mayPass: false,
      });
    if (typeof apiKey !== 'function') return ok(apiKey === undefined ? {} : { 'X-API-KEY': apiKey });
    try {
      const key = await bounded(bounds, async () => apiKey());
      if (key === late) return failed('the API key took too long to come');
      if (key === left) return err(this.aborted());
      return isKey(key) ? ok({ 'X-API-KEY': key }) : failed('what was given is no API key');
    } catch (cause) {
      return failed('there is no API key', cause);
    }
  }

  /** Bounds a piece of work on the network; whatever it throws is the network's fault. */
  async #within<T>(
    bounds: Parameters<typeof bounded>[0],
    connection: AbortController,
    work: () => PromiseLike<T>,
  ): Promise<Result<T, Failure<AskError<C>>>> {
    const failed = (reason: 'network' | 'timeout', message: string, cause?: unknown) =>
      err({ error: unreachable(reason, message, this.outcome, cause), mayPass: true });
    try {
      const value = await bounded(bounds, async () => work());
      if (value !== late && value !== left) return ok(value);
      connection.abort();
      return value === left ? err(this.aborted()) : failed('timeout', 'the service took too long to answer');
    } catch (cause) {
      return failed('network', 'the service cannot be reached', cause);
    }
  }
}
