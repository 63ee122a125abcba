import { err, ok, type Result } from 'neverthrow';
import type { OperationError } from '../endpoints/endpoint.js';
import { isApiKey } from '../endpoints/headers.js';
import type {
  Aborted,
  KeyUnavailable,
  Outcome,
  RequestError,
  UnexpectedAnswer,
  Unreachable,
} from './client-error.js';
import type { ClientRequest } from './client-request.js';
import { errorInProblem } from './error-in-problem.js';
import { type Reply, readReply } from './read-reply.js';
import type { ClientSettings, ClientTiming } from './session-client-options.js';
import { sleep, unlessInterrupted } from './unless-interrupted.js';

/** Statuses that are retried even if the answer does not come from the service. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const retryableTypes: ReadonlySet<string> = new Set([
  'unreachable',
  'store_unavailable',
  'authenticator_unavailable',
  'too_many_streams',
  'conflict',
]);

export const isRetryable = ({ type }: { readonly type: string }): boolean =>
  retryableTypes.has(type);

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

/**
 * Milliseconds of a `Retry-After` header, which contains seconds or a date; 0 if there is none or
 * it is invalid.
 */
const retryAfterMs = (timing: ClientTiming, header: string | null): number => {
  if (header === null) return 0;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  return Math.max(0, Date.parse(header) - timing.now()) || 0;
};

interface Reached {
  stage: 'key' | 'request' | 'answer';
  status: number;
}

type KeyFailure = Pick<KeyUnavailable, 'message' | 'cause'>;

const keyHeader = async ({
  apiKey,
}: ClientSettings): Promise<Result<Readonly<Record<string, string>>, KeyFailure>> => {
  if (typeof apiKey !== 'function') return ok({ ...(apiKey && { 'X-API-KEY': apiKey }) });
  try {
    const key = await apiKey();
    if (isApiKey(key)) return ok({ 'X-API-KEY': key });
    return err({ message: '`apiKey` returned no valid API key' });
  } catch (cause) {
    return err({ message: '`apiKey` failed', cause });
  }
};

/** Sends one request, in any number of attempts, and tracks whether it may have been applied. */
export class Exchange<C extends OperationError> {
  readonly #settings: ClientSettings;
  readonly #request: ClientRequest<C>;
  #wasSent = false;
  #retryAfter: string | null = null;

  constructor(settings: ClientSettings, request: ClientRequest<C>) {
    this.#settings = settings;
    this.#request = request;
  }

  /** With a condition of the caller, a conflict may mean that the condition does not hold. */
  #isRetryable(error: { readonly type: string; readonly outcome?: Outcome }): boolean {
    const { isConditional, isOnce } = this.#request;
    if (isOnce && error.outcome === 'unknown') return false;
    return isRetryable(error) && !(error.type === 'conflict' && isConditional);
  }

  get #outcome(): Outcome {
    return this.#wasSent && this.#request.operation.method === 'POST' ? 'unknown' : 'not_applied';
  }

  /**
   * Sends the request until there is an answer, an error that cannot be retried, or no attempt or
   * time left. `read` returns undefined for an answer that is not from the service. Never rejects,
   * even if a function of the host throws.
   */
  async send<T>(read: (reply: Reply) => T | undefined): Promise<Result<T, RequestError<C>>> {
    const { timing, retries, attemptTimeoutMs } = this.#settings;
    const { signal, timeoutMs = this.#settings.timeoutMs } = this.#request;
    const readAnswer = async (
      response: Response,
    ): Promise<Result<T, UnexpectedAnswer | Unreachable>> => {
      const reply = await this.#readReply(response);
      if (reply.isErr()) return err(reply.error);
      const value = read(reply.value);
      if (value !== undefined) return ok(value);
      return err(this.unexpected('is not from this service', response.status));
    };
    try {
      const deadline = timing.now() + timeoutMs;
      for (let failures = 0; ; failures += 1) {
        const ms = Math.min(attemptTimeoutMs, Math.max(0, deadline - timing.now()));
        const result = await this.attempt(ms, new AbortController(), readAnswer);
        if (result.isOk() || !this.#isRetryable(result.error) || failures === retries)
          return result;
        const wait = this.delayMs(failures);
        if (timing.now() + wait >= deadline) return result;
        await sleep({ timing, ms: wait, signal });
        if (signal?.aborted) return err(this.#aborted());
      }
    } catch (cause) {
      return err(this.unreachable('network', 'the client failed unexpectedly', cause));
    }
  }

  /**
   * Sends the request once and reads a successful response, within `ms`. Aborts `connection` if
   * that fails. An exception before the answer is a network error. One after it shows that this
   * platform cannot read the answer: another attempt would fail too.
   */
  async attempt<T>(
    ms: number,
    connection: AbortController,
    read: (response: Response) => Promise<Result<T, RequestError<C>>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Result<T, RequestError<C>>> {
    const { timing } = this.#settings;
    const { signal } = this.#request;
    const reached: Reached = { stage: 'key', status: 0 };
    this.#retryAfter = null;
    const once = async (): Promise<Result<T, RequestError<C>>> => {
      const key = await keyHeader(this.#settings);
      if (key.isErr()) return err(this.#keyUnavailable(key.error));
      // The attempt may have ended while the key was being read.
      if (connection.signal.aborted) return err(this.#aborted());
      reached.stage = 'request';
      const response = await this.#fetch({ ...key.value, ...more }, connection.signal);
      reached.stage = 'answer';
      reached.status = response.status;
      if (response.ok) return await read(response);
      return err(await this.#refusal(response));
    };
    try {
      const result = await unlessInterrupted({ timing, ms, signal }, once);
      if (result.isErr() || result.value.isErr()) connection.abort();
      if (result.isOk()) return result.value;
      if (result.error === 'aborted') return err(this.#aborted());
      if (reached.stage === 'key')
        return err(this.#keyUnavailable({ message: '`apiKey` took too long' }));
      return err(this.unreachable('timeout', 'the service took too long to answer'));
    } catch (cause) {
      connection.abort();
      if (reached.stage === 'answer')
        return err({ ...this.unexpected('cannot be read', reached.status), cause });
      return err(this.unreachable('network', 'the service cannot be reached', cause));
    }
  }

  #fetch(more: Readonly<Record<string, string>>, signal: AbortSignal): PromiseLike<Response> {
    const { fetch, baseUrl, headers: common } = this.#settings;
    const { operation, path, headers, body } = this.#request;
    this.#wasSent = true;
    return fetch(baseUrl + path, {
      method: operation.method,
      headers: { ...common, ...headers, ...more },
      body,
      // A redirect could send the API key to another server.
      redirect: 'manual',
      signal,
    });
  }

  /**
   * Milliseconds before the next attempt: the `Retry-After` of the last response, plus a random
   * time up to a maximum that starts at `firstMs` and doubles with each consecutive failure. The
   * random part keeps clients that failed together from retrying together.
   */
  delayMs(failures: number, firstMs = FIRST_DELAY_MS): number {
    const { timing } = this.#settings;
    const random = timing.random() * Math.min(MAX_DELAY_MS, firstMs * 2 ** failures);
    return retryAfterMs(timing, this.#retryAfter) + random;
  }

  unreachable(reason: Unreachable['reason'], message: string, cause?: unknown): Unreachable {
    const outcome = this.#outcome;
    return { type: 'unreachable', message, reason, outcome, ...(cause !== undefined && { cause }) };
  }

  unexpected(what: string, status: number): UnexpectedAnswer {
    const message = `the answer ${what} (status ${status})`;
    return { type: 'unexpected_answer', message, status, outcome: this.#outcome };
  }

  async #readReply(response: Response): Promise<Result<Reply, UnexpectedAnswer | Unreachable>> {
    const { maxResponseBytes } = this.#settings;
    const reply = await readReply(response, maxResponseBytes);
    return reply.mapErr((failure) => {
      if (failure.reason === 'too_large')
        return this.unexpected(`is larger than ${maxResponseBytes} bytes`, response.status);
      const message = 'the connection was lost during the answer';
      return this.unreachable('network', message, failure.cause);
    });
  }

  async #refusal(response: Response): Promise<RequestError<C>> {
    const { status, headers } = response;
    const reply = await this.#readReply(response);
    if (reply.isErr()) return reply.error;
    this.#retryAfter = headers.get('retry-after');
    // A browser hides the status of a redirect.
    if (status < 400) return this.unexpected('is a redirect', status);
    const error = errorInProblem(reply.value.body, this.#request, this.#outcome);
    if (error !== undefined) return error;
    if (!retryableStatuses.has(status)) return this.unexpected('is not from this service', status);
    return this.unreachable('gateway', `a proxy in front of the service answered ${status}`);
  }

  #keyUnavailable(failure: KeyFailure): KeyUnavailable {
    return { type: 'key_unavailable', outcome: this.#outcome, ...failure };
  }

  #aborted(): Aborted {
    return { type: 'aborted', message: 'the call was aborted', outcome: this.#outcome };
  }
}
