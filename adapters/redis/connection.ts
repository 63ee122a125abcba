import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import { type Failure, failureOf, timedOut } from './failure.js';
import type { RedisClient } from './redis-session-store-options.js';

/** Milliseconds before the first retry after a transient failure; the pause doubles with every further retry. */
const FIRST_PAUSE_MS = 20;

/** Maximum number of times that a script is sent because other writers have removed what it needs. */
const MAX_ATTEMPTS = 5;

const busy: Failure = {
  code: '',
  error: storeUnavailable('other writers kept removing the index entries of the session; try again', 'not_applied'),
  isTransient: false,
};

/** A Lua script and the SHA-1 by which the server knows it. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

export const script = (lua: string): Script => ({ lua, sha1: createHash('sha1').update(lua).digest('hex') });

type Attempt<T> = (client: RedisClient) => Promise<T>;

/** The reply of a command or script, or the failure. */
export type Reply<T = unknown> = Promise<Result<T, Failure>>;

/**
 * One call of the store: all its commands share one deadline. Until the deadline it retries after transient failures.
 * That is safe, since scripts recognise writes that they have applied before. Once the outcome of a command is unknown,
 * no later refusal makes the outcome of the call known.
 */
export class Call {
  readonly #client: RedisClient;
  readonly #end: number;
  #isUnknown = false;

  constructor(client: RedisClient, end: number) {
    this.#client = client;
    this.#end = end;
  }

  /** Sends a command that changes nothing. */
  readCommand<T>(attempt: Attempt<T>): Reply<T> {
    return this.#send(attempt, attempt, false);
  }

  /** Runs a script that changes nothing. */
  readScript(script: Script, keys: readonly string[], args: readonly string[]): Reply {
    return this.#run(script, keys, args, false);
  }

  /** Sends a command that may change something. */
  writeCommand<T>(attempt: Attempt<T>): Reply<T> {
    return this.#send(attempt, attempt, true);
  }

  /** Runs a script that may change something. */
  writeScript(script: Script, keys: readonly string[], args: readonly string[]): Reply {
    return this.#run(script, keys, args, true);
  }

  /**
   * Runs a script that writes only if it finds what it needs, and otherwise returns `unlisted`. `add` sends what the
   * script needs. It is sent ahead of the script in the same round trip, so a second round trip is the exception.
   * Returns the fields of the reply; the first says what was done.
   */
  async writeListed(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    add: (isFirst: boolean) => readonly Reply[],
  ): Reply<readonly unknown[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const added = add(attempt === 1);
      const reply = await this.writeScript(script, keys, args);
      if (reply.isErr()) return err(reply.error);
      const fields: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [reply.value];
      if (fields[0] !== 'unlisted') return ok(fields);
      for (const each of await Promise.all(added)) if (each.isErr()) return err(each.error);
    }
    return err(busy);
  }

  /** If the server does not know a script, sends its source. */
  #run(script: Script, keys: readonly string[], args: readonly string[], changes: boolean): Reply {
    return this.#send(
      (client) => client.evalsha(script.sha1, keys.length, ...keys, ...args),
      (client) => client.eval(script.lua, keys.length, ...keys, ...args),
      changes,
    );
  }

  async #send<T>(attempt: Attempt<T>, whole: Attempt<T>, changes: boolean): Reply<T> {
    let next = attempt;
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const answer = await this.#once(next);
      if (answer.isOk()) return answer;
      const failure = answer.error;
      if (failure.code === 'NOSCRIPT' && next !== whole) {
        next = whole;
        continue;
      }
      next = attempt;
      if (changes) this.#isUnknown ||= failure.error.outcome === 'unknown';
      const mayRetry = failure.isTransient && this.#client.status !== 'end' && performance.now() + pause < this.#end;
      if (!mayRetry) {
        const outcome = this.#isUnknown ? 'unknown' : 'not_applied';
        return err({ ...failure, error: { ...failure.error, outcome } });
      }
      await sleep(pause);
    }
  }

  #once<T>(attempt: Attempt<T>): Reply<T> {
    const left = this.#end - performance.now();
    if (left <= 0) return Promise.resolve(err(timedOut('not_applied')));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left, err(timedOut('unknown')));
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

/** The host's client with a timeout: every call settles within `timeoutMs`, whatever the settings of the client. */
export class Connection {
  readonly #client: RedisClient;
  readonly #timeoutMs: number;

  constructor(client: RedisClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the host has closed the client for good. */
  get isClosed(): boolean {
    return this.#client.status === 'end';
  }

  /** Begins a call with its deadline. */
  begin(): Call {
    return new Call(this.#client, performance.now() + this.#timeoutMs);
  }
}
