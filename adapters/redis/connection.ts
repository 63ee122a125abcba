import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import type { RedisClient } from './client.js';
import { Deadlines } from './deadlines.js';
import { type Failure, failureOf, timedOut } from './failure.js';
import type { RedisSettings } from './options.js';
import type { Script } from './script.js';

/** Milliseconds before the first attempt that follows a transient failure; every further one waits twice as long. */
const FIRST_PAUSE = 20;

type Attempt<T> = (client: RedisClient) => Promise<T>;

/** What failed changes nothing, whatever became of it. */
const notApplied = (failure: Failure): Failure => ({
  ...failure,
  error: { ...failure.error, outcome: 'not_applied' },
});

/**
 * The host's client with a bound on time: every call settles within `timeoutMs`, whatever the client's own settings.
 * Within that time what failed for a moment is sent again, which is safe, for the scripts recognise what they have
 * done before.
 */
export class Connection {
  readonly #settings: Result<RedisSettings, StoreUnavailable>;
  readonly #deadlines = new Deadlines();

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
    return (await this.#withinTime(attempt, end)).mapErr(notApplied);
  }

  /** Sends a command that adds what does no harm if it is added twice. */
  tell<T>(attempt: Attempt<T>, end: number): Promise<Result<T, Failure>> {
    return this.#withinTime(attempt, end);
  }

  /** Runs a script that changes nothing. */
  async ask(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    end = this.endOfCall(),
  ): Promise<Result<unknown, Failure>> {
    return (await this.write(script, keys, args, end)).mapErr(notApplied);
  }

  /** Runs a script that may change something. */
  write(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    end = this.endOfCall(),
  ): Promise<Result<unknown, Failure>> {
    const known: Attempt<unknown> = (client) => client.evalsha(script.sha1, keys.length, ...keys, ...args);
    const whole: Attempt<unknown> = (client) => client.eval(script.lua, keys.length, ...keys, ...args);
    return this.#withinTime(known, end, whole);
  }

  /** Where the server does not know a script, the `whole` of it is sent. */
  async #withinTime<T>(attempt: Attempt<T>, end: number, whole = attempt): Promise<Result<T, Failure>> {
    if (this.#settings.isErr()) return err({ code: '', error: this.#settings.error, transient: false });
    const { client } = this.#settings.value;
    let next = attempt;
    let unknown = false;
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const answer = await this.#once(next, client, end);
      if (answer.isOk()) return answer;
      const { code, error, transient } = answer.error;
      if (code === 'NOSCRIPT' && next !== whole) {
        next = whole;
        continue;
      }
      next = attempt;
      unknown ||= error.outcome === 'unknown';
      const again = transient && client.status !== 'end' && performance.now() + pause < end;
      if (!again) return err(unknown ? { ...answer.error, error: { ...error, outcome: 'unknown' } } : answer.error);
      await sleep(pause);
    }
  }

  #once<T>(attempt: Attempt<T>, client: RedisClient, end: number): Promise<Result<T, Failure>> {
    return new Promise((resolve) => {
      const inTime = this.#deadlines.watch(end, () => resolve(err(timedOut)));
      const settle = (answer: Result<T, Failure>): void => {
        inTime();
        resolve(answer);
      };
      try {
        attempt(client).then(
          (value) => settle(ok(value)),
          (cause: unknown) => settle(err(failureOf(cause))),
        );
      } catch (cause) {
        settle(err(failureOf(cause)));
      }
    });
  }
}
