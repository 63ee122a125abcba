import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/read-safely.js';
import { isFields, readNumber, readWhole } from '../input/values.js';
import { type ClientTiming, systemTiming } from './client-timing.js';

/** The runtime's own `fetch`, or any function that takes and gives the same. */
export type ClientFetch = typeof globalThis extends { fetch: (url: string, init: infer I) => infer R }
  ? (url: string, init: NonNullable<I>) => R
  : (url: string, init: unknown) => PromiseLike<unknown>;

/** What a `SessionClient` is made with. */
export interface SessionClientOptions {
  /** Where the engine is mounted, such as `https://sessions.example/api`; in a page also `/api`. */
  readonly baseUrl: string;
  /**
   * The API key, or a function that gives the one of the moment and is asked before every request. Without one none is
   * sent: for pages whose own server adds it.
   */
  readonly apiKey?: string | (() => string | PromiseLike<string>);
  /** Default: the runtime's. */
  readonly fetch?: ClientFetch;
  /** Milliseconds that a call may take, all its attempts and pauses included. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Milliseconds that one attempt may take. Default: 12,000, a little more than the engine itself takes. */
  readonly attemptTimeoutMs?: number;
  /** How often a call is tried again. Default: 3. With 0 a watch that is cut off is not taken up again either. */
  readonly retries?: number;
  /** Milliseconds without a sign of life after which a watch is taken up anew. Default: 45,000, three heartbeats. */
  readonly silenceMs?: number;
  /** The largest response that is read, and the largest event, in bytes. Default: 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the machine's clock, timers and chance. */
  readonly timing?: ClientTiming;
}

/** The options, read and with their defaults. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly apiKey: SessionClientOptions['apiKey'];
  readonly fetch: (url: string, init: RequestInit) => PromiseLike<Response>;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly retries: number;
  readonly silenceMs: number;
  readonly maxResponseBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly timing: ClientTiming;
}

/** The longest that a timer takes. */
const MAX_MS = 2 ** 31 - 1;

export const readMs = (issues: IssueList, path: string, value: unknown): number =>
  readNumber(issues, path, value, 1, MAX_MS);

/** What a header carries unchanged through every client and proxy, as the engine wants its keys. */
export const isKey = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,256}$/.test(value);

/** Without the slash at its end. One with a user name is refused by `fetch`, call by call. */
const readBaseUrl = (issues: IssueList, value: unknown): string => {
  const isUsable = (text: string): boolean => {
    if (/[?#\\\s]/.test(text)) return false;
    if (/^\/(?!\/)/.test(text)) return true;
    if (!URL.canParse(text)) return false;
    const { protocol, username, password } = new URL(text);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  };
  const fits = typeof value === 'string' && isUsable(value);
  issues.check(fits, 'baseUrl', 'must be an http or https URL, or a path, without user name, query and fragment');
  return fits ? value.replace(/\/+$/, '') : '';
};

/** `fetch` throws for headers that it cannot send, just as it does when there is no network: look before. */
const readHeaders = (issues: IssueList, value: unknown): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  const given = isFields(value) ? Object.entries(value) : [];
  issues.check(isFields(value), 'headers', 'must be an object of strings');
  for (const [name, text] of given) {
    const fits = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t -~]*$/.test(text);
    issues.check(fits, 'headers', 'must have names and values that a header can have');
    if (fits) headers[name] = text;
  }
  return headers;
};

/** Not as a method of anything: a browser's `fetch` insists on that. */
const systemFetch: ClientSettings['fetch'] = (url, init) => fetch(url, init);

const isTiming = (value: unknown): value is ClientTiming =>
  isFields(value) && ['now', 'random', 'after'].every((name) => typeof value[name] === 'function');

export const readClientOptions = (options: SessionClientOptions): Result<ClientSettings, InvalidInput> =>
  readSafely('options', (issues) => {
    const { baseUrl, apiKey, timing = systemTiming, fetch: given = systemFetch } = options;
    const { timeoutMs = 30_000, attemptTimeoutMs = 12_000, silenceMs = 45_000 } = options;
    const { retries = 3, maxResponseBytes = 16 * 1024 * 1024, headers = {} } = options;
    const hasKey = apiKey === undefined || typeof apiKey === 'function' || isKey(apiKey);
    issues.check(hasKey, 'apiKey', 'must be 1 to 256 visible ASCII characters, or a function that gives them');
    issues.check(typeof given === 'function', 'fetch', 'must be a function');
    issues.check(isTiming(timing), 'timing', 'must have now, random and after');
    return {
      baseUrl: readBaseUrl(issues, baseUrl),
      apiKey,
      fetch: given,
      timeoutMs: readMs(issues, 'timeoutMs', timeoutMs),
      attemptTimeoutMs: readMs(issues, 'attemptTimeoutMs', attemptTimeoutMs),
      retries: readWhole(issues, 'retries', retries, 0),
      silenceMs: readMs(issues, 'silenceMs', silenceMs),
      maxResponseBytes: readWhole(issues, 'maxResponseBytes', maxResponseBytes, 1),
      headers: readHeaders(issues, headers),
      timing,
    };
  });
