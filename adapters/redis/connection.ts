import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { RedisClient } from './client.js';
import { type Failure, failureOf, timedOut } from './failure.js';
import type { Script } from './script.js';

/** Milliseconds before the first attempt that follows a transient failure; every further one waits twice as long. */
const FIRST_PAUSE_MS = 20;

type Attempt<T> = (client: RedisClient) => Promise<T>;

/** What failed changes nothing, whatever became of it. */
const notApplied = (failure: Failure): Failure => ({
  ...failure,
  error: { ...failure.error, outcome: 'not_applied' },
});

/** One call of the store: all that it sends shares one end. */
export interface Call {
  /** Sends commands that change nothing, or nothing that harms. */
  read<T>(attempt: Attempt<T>): Promise<Result<T, Failure>>;
  /** Runs a script that changes nothing. */
  ask(script: Script, keys: readonly string[], args: readonly string[]): Promise<Result<unknown, Failure>>;
  /** Runs a script that may change something. */
  write(script: Script, keys: readonly string[], args: readonly string[]): Promise<Result<unknown, Failure>>;
  /** Sends a command that may change something. */
  send<T>(attempt: Attempt<T>): Promise<Result<T, Failure>>;
}

/**
 * The host's client with a bound on time: every call settles within `timeoutMs`, whatever the client's own settings.
 * Within that time what failed for a moment is sent again, which is safe, for the scripts recognise what they have
 * done before.
 */
export class Connection {
  readonly #client: RedisClient;
  readonly #timeoutMs: number;

  constructor(client: RedisClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** Begins a call, which must be over in time. */
  begin(): Call {
    const end = performance.now() + this.#timeoutMs;
    const write: Call['write'] = (script, keys, args) => this.#run(script, keys, args, end);
    return {
      read: async (attempt) => (await this.#withinTime(attempt, end)).mapErr(notApplied),
      ask: async (script, keys, args) => (await write(script, keys, args)).mapErr(notApplied),
      write,
      send: (attempt) => this.#withinTime(attempt, end),
    };
  }

  /** Where the server does not know a script, the whole of it is sent. */
  #run(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    end: number,
  ): Promise<Result<unknown, Failure>> {
    const known: Attempt<unknown> = (client) => client.evalsha(script.sha1, keys.length, ...keys, ...args);
    const whole: Attempt<unknown> = (client) => client.eval(script.lua, keys.length, ...keys, ...args);
    return this.#withinTime(known, end, whole);
  }

  async #withinTime<T>(attempt: Attempt<T>, end: number, whole = attempt): Promise<Result<T, Failure>> {
    let next = attempt;
    let isUnknown = false;
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const answer = await this.#once(next, end);
      if (answer.isOk()) return answer;
      const { code, error, isTransient } = answer.error;
      if (code === 'NOSCRIPT' && next !== whole) {
        next = whole;
        continue;
      }
      next = attempt;
      isUnknown ||= error.outcome === 'unknown';
      const mayRetry = isTransient && this.#client.status !== 'end' && performance.now() + pause < end;
      if (!mayRetry)
        return err(isUnknown ? { ...answer.error, error: { ...error, outcome: 'unknown' } } : answer.error);
      await sleep(pause);
    }
  }

  #once<T>(attempt: Attempt<T>, end: number): Promise<Result<T, Failure>> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, end - performance.now()), err(timedOut));
      const settle = (answer: Result<T, Failure>): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      try {
        attempt(this.#client).then(
          (value) => settle(ok(value)),
          (cause: unknown) => settle(err(failureOf(cause))),
        );
      } catch (cause) {
        settle(err(failureOf(cause)));
      }
    });
  }
}
