import { err, ok, type Result } from 'neverthrow';
import type { WatchSignal } from '../events/session-event.js';
import type { OperationError } from '../operations/operation.js';
import {
  aborted,
  type CallError,
  keyUnavailable,
  type Outcome,
  type RemoteErrorOf,
  unexpectedAnswer,
  unreachable,
} from './call-error.js';
import type { ClientRequest, Reply } from './client-request.js';
import { bounded, late, left } from './client-timing.js';
import { parseJsonBytes } from './parse-json.js';
import { readBody, tooMuch } from './read-body.js';
import { readProblem, refusalOf } from './read-problem.js';
import { type ClientSettings, isKey } from './session-client-options.js';

export type RequestError<C extends OperationError> = RemoteErrorOf<C> | CallError;

/** A failed attempt, and whether and when to retry. */
export interface FailedAttempt<E> {
  readonly error: E;
  readonly retryAfter?: string | null;
  readonly isRetryable: boolean;
}

/** The result of one attempt. */
export type Attempted<T, C extends OperationError> = Result<T, FailedAttempt<RequestError<C>>>;

/** The timeout and the abort signal of one attempt. */
interface AttemptLimits {
  readonly ms: number;
  readonly signal: WatchSignal | undefined;
}

/** Statuses that are retried even if the answer does not come from the service. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const retryableTypes: ReadonlySet<string> = new Set([
  'store_unavailable',
  'authenticator_unavailable',
  'too_many_streams',
  'conflict',
]);

export const isRetryable = (type: string): boolean => retryableTypes.has(type);

/** A request without the function that reads its response. */
type SentRequest<C extends OperationError> = Omit<ClientRequest<unknown, C>, 'read'>;

/** Sends the attempts of one request, and tracks whether it may have been applied. */
export class Exchange<C extends OperationError> {
  readonly #settings: ClientSettings;
  readonly #request: SentRequest<C>;
  #wasSent = false;

  constructor(settings: ClientSettings, request: SentRequest<C>) {
    this.#settings = settings;
    this.#request = request;
  }

  get outcome(): Outcome {
    return this.#wasSent && this.#request.operation.method === 'POST' ? 'unknown' : 'not_applied';
  }

  now(): number {
    return this.#settings.timing.now();
  }

  /**
   * Sends the request and returns the response before its body is read. Aborts `connection` on a timeout or an abort.
   */
  async send({ ms, signal }: AttemptLimits, connection: AbortController): Promise<Attempted<Response, C>> {
    const { fetch, baseUrl, timing } = this.#settings;
    const bounds = { timing, ms, signal };
    const key = await this.#key(bounds);
    if (key.isErr()) return err(key.error);
    const { operation, path, headers, body } = this.#request;
    return this.#inTime(bounds, connection, () => {
      this.#wasSent = true;
      return fetch(baseUrl + path, {
        method: operation.method,
        headers: { ...this.#settings.headers, ...key.value, ...headers },
        // A redirect could send the API key to another server.
        redirect: 'manual',
        signal: connection.signal,
        ...(body === undefined ? {} : { body }),
      });
    });
  }

  /** Reads the body of a response. */
  async read(response: Response, { ms, signal }: AttemptLimits, connection: AbortController) {
    const { timing, maxResponseBytes } = this.#settings;
    const read = await this.#inTime({ timing, ms, signal }, connection, () => readBody(response, maxResponseBytes));
    return read.andThen((bytes): Attempted<Reply, C> => {
      const { status, headers } = response;
      if (bytes === tooMuch) return err(this.unexpected(`is larger than ${maxResponseBytes} bytes`, status));
      return ok({ status, headers, body: parseJsonBytes(bytes) });
    });
  }

  /** The error of a response without success. */
  refusal({ status, headers, body }: Reply): FailedAttempt<RequestError<C>> {
    const { operation, id } = this.#request;
    const retryAfter = headers.get('retry-after');
    const problem = status >= 400 ? readProblem(body) : undefined;
    const error = problem && refusalOf(problem, operation, { id, outcome: this.outcome });
    if (error !== undefined) return { error, retryAfter, isRetryable: isRetryable(error.type) };
    // A browser hides the status of a redirect.
    if (status === 0 || (status >= 300 && status < 400)) return this.unexpected('is a redirect', status);
    if (!retryableStatuses.has(status)) return this.unexpected('is none of this service', status);
    const message = `what stands in front of the service answered ${status}`;
    return { error: unreachable('gateway', message, this.outcome), retryAfter, isRetryable: true };
  }

  unexpected(what: string, status: number): FailedAttempt<RequestError<C>> {
    const message = `the answer ${what} (status ${status})`;
    return { error: unexpectedAnswer(message, status, this.outcome), isRetryable: false };
  }

  aborted(): FailedAttempt<RequestError<C>> {
    return { error: aborted(this.outcome), isRetryable: false };
  }

  async #key(bounds: Parameters<typeof bounded>[0]) {
    const { apiKey } = this.#settings;
    const failed = (message: string, cause?: unknown) =>
      err<Readonly<Record<string, string>>, FailedAttempt<RequestError<C>>>({
        error: keyUnavailable(message, cause),
        isRetryable: false,
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

  /** Runs a network task with a timeout. An exception is a network error. */
  async #inTime<T>(
    bounds: Parameters<typeof bounded>[0],
    connection: AbortController,
    work: () => PromiseLike<T>,
  ): Promise<Attempted<T, C>> {
    const failed = (reason: 'network' | 'timeout', message: string, cause?: unknown) =>
      err({ error: unreachable(reason, message, this.outcome, cause), isRetryable: true });
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
