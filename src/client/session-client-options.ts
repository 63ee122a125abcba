import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/read-safely.js';
import { isFields, readNumber, readWhole } from '../input/values.js';
import { type ClientTiming, systemTiming } from './client-timing.js';

/** The runtime's `fetch`, or a function of the same type. */
export type ClientFetch = typeof globalThis extends { fetch: (url: string, init: infer I) => infer R }
  ? (url: string, init: NonNullable<I>) => R
  : (url: string, init: unknown) => PromiseLike<unknown>;

/** Options of a `SessionClient`. */
export interface SessionClientOptions {
  /**
   * The URL of the mounted engine, such as `https://sessions.example/api`; on a web page also a path such as `/api`.
   */
  readonly baseUrl: string;
  /**
   * The API key, or a function that returns it and is called before every request. Without one, no key is sent: for web
   * pages whose own server adds it.
   */
  readonly apiKey?: string | (() => string | PromiseLike<string>);
  /** Default: the runtime's `fetch`. */
  readonly fetch?: ClientFetch;
  /** Timeout of a call in milliseconds, including all attempts and delays. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Timeout of one attempt in milliseconds. Default: 12,000, slightly more than the default timeout of the engine. */
  readonly attemptTimeoutMs?: number;
  /** Maximum number of retries of a call. With 0, a watch does not reconnect either. Default: 3. */
  readonly retries?: number;
  /** Milliseconds without data after which a watch reconnects. Default: 45,000, three heartbeats. */
  readonly silenceMs?: number;
  /** Maximum bytes of a response, and maximum characters of an event. Default: 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the machine's clock, timers and random numbers. */
  readonly timing?: ClientTiming;
}

/** The checked options with their defaults. */
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

/** Maximum milliseconds of a `setTimeout`. */
const MAX_MS = 2 ** 31 - 1;

export const readMs = (issues: IssueList, path: string, value: unknown): number =>
  readNumber(issues, path, value, 1, MAX_MS);

/** Whether a value is an API key as the engine accepts it: characters that every client and proxy sends unchanged. */
export const isKey = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,256}$/.test(value);

/** Checks the URL and removes slashes at its end. `fetch` would reject a URL with a user name in every call. */
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

/** Checks headers early: `fetch` throws for an invalid header just as it does without a network. */
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

/** A browser's `fetch` must not be called as a method of another object. */
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
