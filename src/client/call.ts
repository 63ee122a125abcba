import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { waitMs } from './backoff.js';
import type { CallSettings } from './call-options.js';
import { unreachable } from './errors.js';
import { type AskError, type Asked, Exchange, type Failure, type Reply } from './exchange.js';
import type { ClientSettings } from './options.js';
import type { RemoteCode } from './refusal.js';
import { pause } from './timing.js';

/** A call whose answer is read whole. */
export interface Call<T, C extends RemoteCode> extends Asked<C> {
  /** What a success says; nothing if it does not say it. */
  readonly answer: (reply: Reply) => { readonly value: T } | undefined;
}

interface Attempt<T, C extends RemoteCode> {
  readonly exchange: Exchange<C>;
  readonly call: Call<T, C>;
  readonly options: CallSettings;
  readonly ms: number;
}

const attempt = async <T, C extends RemoteCode>({
  exchange,
  call,
  options: { signal },
  ms,
}: Attempt<T, C>): Promise<Result<T, Failure<AskError<C>>>> => {
  const connection = new AbortController();
  const began = exchange.now();
  const response = await exchange.send({ ms, signal }, connection);
  if (response.isErr()) return err(response.error);
  const rest = Math.max(0, ms - (exchange.now() - began));
  const reply = await exchange.read(response.value, { ms: rest, signal }, connection);
  return reply.andThen((read): Result<T, Failure<AskError<C>>> => {
    const isSuccess = read.status >= 200 && read.status < 300;
    if (!isSuccess) return err(exchange.refusal(read));
    const said = call.answer(read);
    return said === undefined ? err(exchange.unexpected('is none of this service', read.status)) : ok(said.value);
  });
};

/** Tries until there is an answer, or no more hope or time. */
const persist = async <T, C extends RemoteCode>(
  settings: ClientSettings,
  call: Call<T, C>,
  options: CallSettings,
  exchange: Exchange<C>,
): Promise<Result<T, AskError<C>>> => {
  const { timing, retries, attemptTimeoutMs } = settings;
  const deadline = timing.now() + (options.timeoutMs ?? settings.timeoutMs);
  for (let failures = 0; ; failures += 1) {
    const remaining = Math.max(0, deadline - timing.now());
    const ms = Math.min(attemptTimeoutMs, remaining);
    const result = await attempt({ exchange, call, options, ms });
    if (result.isOk()) return ok(result.value);
    const { error, mayPass, retryAfter } = result.error;
    if (!mayPass || failures === retries) return err(error);
    const wait = waitMs({ timing, failures, retryAfter });
    if (timing.now() + wait >= deadline) return err(error);
    await pause({ timing, ms: wait, signal: options.signal });
    if (options.signal?.aborted) return err(exchange.aborted().error);
  }
};

/** Makes a call. Nothing throws and nothing rejects, not even where a host's own port does. */
export const perform = <T, C extends RemoteCode>(
  settings: ClientSettings,
  call: Call<T, C>,
  options: CallSettings,
): ResultAsync<T, AskError<C>> => {
  const exchange = new Exchange(settings, call);
  const failed = (cause: unknown): Result<T, AskError<C>> =>
    err(unreachable('network', 'the client failed in a way that it should not', exchange.outcome, cause));
  return new ResultAsync(persist(settings, call, options, exchange).catch(failed));
};
