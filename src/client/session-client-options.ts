import { API_KEY_RULE, isApiKey } from '../endpoints/headers.js';
import { callback, having } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { nullish, optional, type Schema, schema } from '../schema/schema.js';
import { milliseconds, whole } from '../schema/values.js';
import { isFields } from '../session/fields.js';
import type { Complete } from '../session/members.js';

/**
 * The clock, randomness and timers of the client. Replace them in tests, so that no test sleeps.
 *
 * @example
 * ```ts
 * const after = (_ms: number, callback: () => void) => {
 *   const timer = setImmediate(callback);
 *   return () => clearImmediate(timer);
 * };
 * const timing = { now: () => 0, random: () => 0.5, after };
 * const client = new SessionClient({ baseUrl: 'https://sessions.example', timing });
 * ```
 */
export interface ClientTiming {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** From 0 inclusive to 1 exclusive. */
  random(): number;
  /** Calls the callback once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The runtime's `fetch`, or a function of the same type. */
export type ClientFetch = typeof globalThis extends {
  fetch: (url: string, init: infer I) => infer R;
}
  ? (url: string, init: NonNullable<I>) => R
  : (url: string, init: unknown) => PromiseLike<unknown>;

/**
 * Options of a `SessionClient`.
 *
 * @example
 * ```ts
 * const client = new SessionClient({
 *   baseUrl: 'https://sessions.example/api',
 *   apiKey: async () => 'key-1', // for example from your vault, before each request
 *   timeoutMs: 20_000,
 *   attemptTimeoutMs: 5000,
 *   retries: 2,
 *   headers: { 'User-Agent': 'receptionist/1.0' },
 * });
 * ```
 *
 * @example
 * ```ts
 * const client = new SessionClient({
 *   baseUrl: '/api', // on a web page whose server adds the key
 *   fetch: (url, init) => fetch(url, { ...init, credentials: 'include' }),
 *   silenceMs: 60_000,
 *   maxResponseBytes: 1024 * 1024,
 * });
 * ```
 */
export interface SessionClientOptions {
  /**
   * The URL of the service, for example `https://sessions.example/api`; on a web page also a path
   * like `/api`.
   */
  readonly baseUrl: string;
  /**
   * The API key, or a function that returns it and is called before every request. Default: sends
   * no key, for web pages whose own server adds it.
   */
  readonly apiKey?: string | (() => string | PromiseLike<string>) | undefined;
  /** Default: the runtime's `fetch`. */
  readonly fetch?: ClientFetch | undefined;
  /**
   * Timeout of a call in milliseconds, 1 to 2147483647, including all attempts and delays. Default:
   * 30,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Timeout of one attempt in milliseconds, 1 to 2147483647. Default: 12,000, slightly more than the
   * default timeout of the service.
   */
  readonly attemptTimeoutMs?: number | undefined;
  /** Maximum number of retries of a call; with 0, a watch does not reconnect either. Default: 3. */
  readonly retries?: number | undefined;
  /**
   * Milliseconds without data after which a watch reconnects, 1 to 2147483647. Default: 45,000, three
   * times the default heartbeat.
   */
  readonly silenceMs?: number | undefined;
  /** Maximum bytes of a response, and maximum characters of an event, from 1. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the machine's clock, timers and random numbers. */
  readonly timing?: ClientTiming | undefined;
}

export interface ClientSettings extends Complete<Omit<SessionClientOptions, 'apiKey' | 'fetch'>> {
  readonly apiKey: SessionClientOptions['apiKey'];
  readonly fetch: (url: string, init: RequestInit) => PromiseLike<Response>;
}

const baseUrlRule =
  'must be an http or https URL, or a path, without user name, query and fragment';

const baseUrlForm = /^(?:https?:\/\/[^/@?#\\\s]+(?:\/|$)|\/(?!\/))[^?#\\\s]*$/i;

/**
 * Checks the URL and removes slashes at its end. `fetch` would reject a URL with a user name in
 * every call. Browsers of 2022 have no `URL.canParse`, and React Native has a `URL` without
 * getters.
 */
const baseUrl: Schema<string> = schema((issues, path, value) => {
  const fits = typeof value === 'string' && baseUrlForm.test(value);
  issues.check(fits, path, baseUrlRule);
  if (!fits) return '';
  try {
    if (!value.startsWith('/')) new URL(value);
  } catch (cause) {
    issues.caught(cause, path, baseUrlRule);
  }
  return value.replace(/\/+$/, '');
});

/** Checks headers early: `fetch` throws for an invalid header just as it does without a network. */
const headers: Schema<Readonly<Record<string, string>>> = schema((issues, path, value) => {
  const read: Record<string, string> = {};
  const given = isFields(value) ? Object.entries(value) : [];
  issues.check(isFields(value), path, 'must be an object of strings');
  for (const [name, text] of given) {
    const fits =
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t -~]*$/.test(text);
    issues.check(fits, path, 'must have names and values that are allowed in HTTP');
    if (fits) read[name] = text;
  }
  return read;
});

/** Wrapped, because a browser's `fetch` must not be called as a method of another object. */
const systemFetch: ClientSettings['fetch'] = (url, init) => fetch(url, init);

const systemTiming: ClientTiming = {
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const apiKey: Schema<unknown> = schema((issues, path, value) =>
  issues.check(
    typeof value === 'function' || isApiKey(value),
    path,
    `${API_KEY_RULE}, or a function that returns them`,
  ),
);

const read = optionsOf('SessionClient', {
  baseUrl,
  apiKey: optional(apiKey),
  fetch: optional(callback),
  timeoutMs: nullish(milliseconds, 30_000),
  attemptTimeoutMs: nullish(milliseconds, 12_000),
  retries: nullish(whole(0), 3),
  silenceMs: nullish(milliseconds, 45_000),
  maxResponseBytes: nullish(whole(1), 16 * 1024 * 1024),
  headers: optional(headers, {}),
  timing: optional(having('must have now, random and after', 'now', 'random', 'after')),
} satisfies Readonly<Record<keyof SessionClientOptions, Schema<unknown>>>);

export const parseClientOptions = (options: SessionClientOptions): ClientSettings => {
  const given = read(options);
  const { apiKey, timing = systemTiming, fetch: send = systemFetch } = options;
  return { ...given, apiKey, fetch: send, timing };
};
