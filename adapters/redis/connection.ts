import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import type { RedisClient } from './client.js';
import { errorCode, type Failure, failureOf, timedOut } from './failure.js';
import type { RedisSettings } from './options.js';
import type { Script } from './scripts.js';

/** Milliseconds before the first attempt that follows a transient failure; every further one waits twice as long. */
const FIRST_PAUSE = 20;

type Attempt<T> = (client: RedisClient) => Promise<T>;

/**
 * The host's client with a bound on time: every call settles within `timeoutMs`, whatever the client's own settings.
 * Within that time what failed for a moment is sent again, which is safe, for the scripts recognise what they have
 * done before.
 */
export class Connection {
  readonly #settings: Result<RedisSettings, StoreUnavailable>;

  constructor(settings: Result<RedisSettings, StoreUnavailable>) {
    this.#settings = settings;
  }

  /** When a call of the store that begins now must be over; what it sends one after another shares this end. */
  endOfCall(): number {
    return (
      performance.now() +
      this.#settings.match(
        ({ timeoutMs }) => timeoutMs,
        () => 0,
      )
    );
  }

  /** Sends a command that changes nothing. */
  async read<T>(attempt: Attempt<T>, end = this.endOfCall()): Promise<Result<T, Failure>> {
    const answer = await this.#withinTime(attempt, end);
    return answer.mapErr((failure) => ({ ...failure, error: { ...failure.error, outcome: 'not_applied' } }));
  }

  /** Runs a script that may change something. */
  write(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    end = this.endOfCall(),
  ): Promise<Result<unknown, Failure>> {
    return this.#withinTime(
      (client) =>
        client.evalsha(script.sha1, keys.length, ...keys, ...args).catch((cause: unknown) => {
          if (errorCode(cause) !== 'NOSCRIPT') throw cause;
          return client.eval(script.lua, keys.length, ...keys, ...args);
        }),
      end,
    );
  }

  async #withinTime<T>(attempt: Attempt<T>, end: number): Promise<Result<T, Failure>> {
    if (this.#settings.isErr()) return err({ code: '', error: this.#settings.error, transient: false });
    const { client } = this.#settings.value;
    let unknown = false;
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const answer = await once(() => attempt(client), end - performance.now());
      if (answer.isOk()) return ok(answer.value);
      const { error, transient } = answer.error;
      unknown ||= error.outcome === 'unknown';
      const again = transient && client.status !== 'end' && performance.now() + pause < end;
      if (!again) return err(unknown ? { ...answer.error, error: { ...error, outcome: 'unknown' } } : answer.error);
      await sleep(pause);
    }
  }
}

const once = <T>(attempt: () => Promise<T>, leftMs: number): Promise<Result<T, Failure>> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(err(timedOut)), leftMs);
    const settle = (answer: Result<T, Failure>): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    try {
      attempt().then(
        (value) => settle(ok(value)),
        (cause: unknown) => settle(err(failureOf(cause))),
      );
    } catch (cause) {
      settle(err(failureOf(cause)));
    }
  });
