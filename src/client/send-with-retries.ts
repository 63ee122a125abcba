import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { OperationError } from '../operations/operation.js';
import { unreachable } from './call-error.js';
import type { CallSettings } from './call-options.js';
import type { ClientRequest } from './client-request.js';
import { type ClientTiming, pause } from './client-timing.js';
import { type Attempted, Exchange, type RequestError } from './exchange.js';
import type { ClientSettings } from './session-client-options.js';

const FIRST_MS = 200;
const MAX_MS = 10_000;

/** Milliseconds of a `Retry-After` header, which contains seconds or a date; 0 if there is none or it is invalid. */
const retryAfterMs = (timing: ClientTiming, header: string | null | undefined): number => {
  if (header === null || header === undefined) return 0;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - timing.now());
};

/** Input of `backoffMs`. */
interface Backoff {
  readonly timing: ClientTiming;
  /** Number of consecutive failures before this one. */
  readonly failures: number;
  readonly retryAfter: string | null | undefined;
  /** Maximum milliseconds of the first delay. */
  readonly firstMs?: number;
}

/**
 * Milliseconds before the next attempt: the `Retry-After` of the server, plus a random time up to a maximum that
 * doubles with each failure. The randomness keeps clients that failed together from retrying together.
 */
export const backoffMs = ({ timing, failures, retryAfter, firstMs = FIRST_MS }: Backoff): number =>
  retryAfterMs(timing, retryAfter) + timing.random() * Math.min(MAX_MS, firstMs * 2 ** failures);

const attempt = async <T, C extends OperationError>(
  exchange: Exchange<C>,
  request: ClientRequest<T, C>,
  signal: CallSettings['signal'],
  ms: number,
): Promise<Attempted<T, C>> => {
  const connection = new AbortController();
  const began = exchange.now();
  const response = await exchange.send({ ms, signal }, connection);
  if (response.isErr()) return err(response.error);
  const rest = Math.max(0, ms - (exchange.now() - began));
  const read = await exchange.read(response.value, { ms: rest, signal }, connection);
  if (read.isErr()) return err(read.error);
  const reply = read.value;
  if (reply.status < 200 || reply.status >= 300) return err(exchange.refusal(reply));
  const success = request.read(reply);
  return success === undefined ? err(exchange.unexpected('is none of this service', reply.status)) : ok(success.value);
};

/** Retries until there is an answer, or an error that cannot be retried, or no attempt or time left. */
const attemptAll = async <T, C extends OperationError>(
  settings: ClientSettings,
  request: ClientRequest<T, C>,
  { signal, timeoutMs = settings.timeoutMs }: CallSettings,
  exchange: Exchange<C>,
): Promise<Result<T, RequestError<C>>> => {
  const { timing, retries, attemptTimeoutMs } = settings;
  const deadline = timing.now() + timeoutMs;
  for (let failures = 0; ; failures += 1) {
    const remaining = Math.max(0, deadline - timing.now());
    const result = await attempt(exchange, request, signal, Math.min(attemptTimeoutMs, remaining));
    if (result.isOk()) return ok(result.value);
    const { error, isRetryable, retryAfter } = result.error;
    if (!isRetryable || failures === retries) return err(error);
    const wait = backoffMs({ timing, failures, retryAfter });
    if (timing.now() + wait >= deadline) return err(error);
    await pause({ timing, ms: wait, signal });
    if (signal?.aborted) return err(exchange.aborted().error);
  }
};

/** Sends a request, with retries. Never throws or rejects, even if a function of the host does. */
export const sendWithRetries = <T, C extends OperationError>(
  settings: ClientSettings,
  request: ClientRequest<T, C>,
  options: CallSettings,
): ResultAsync<T, RequestError<C>> => {
  const exchange = new Exchange(settings, request);
  const failed = (cause: unknown): Result<T, RequestError<C>> =>
    err(unreachable('network', 'the client failed in a way that it should not', exchange.outcome, cause));
  return new ResultAsync(attemptAll(settings, request, options, exchange).catch(failed));
};
