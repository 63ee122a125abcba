import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { type Failure, failureOf, timedOut } from './failure.js';
import type { RedisClient } from './redis-session-store-options.js';

/** Milliseconds before the first retry after a transient failure; doubles with every further retry. */
const FIRST_PAUSE_MS = 20;

/**
 * Difference of the clocks of this machine and the server, in milliseconds, that needs no second attempt of a write.
 */
const CLOCK_MARGIN_MS = 1000;

/** Length of a random id: 72 bits. */
const ID_LENGTH = 12;

export const newId = (): string => nanoid(ID_LENGTH);

/** A Lua script and the SHA-1 by which the server knows it. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

export const script = (lua: string): Script => ({ lua, sha1: createHash('sha1').update(lua).digest('hex') });

/**
 * A script that makes a change at most once, even if a client that got no reply sends it again. It has at least two
 * writes, so that the server logs them as a transaction, and writes only absolute values: see "A torn log" in
 * `docs/redis-operating.md`. The value that readers trust is written last.
 *
 * KEYS  1 the key of this call, by which it is recognised
 * ARGV  1 until when the server accepts the call, 2 until when it recognises the call: twice as long
 *
 * Defines `known`, the note of an earlier arrival of this call or false, and `remember(value)`, which writes the note.
 * A call that arrives too late is refused: {'late', the server's time}. So a call is recognised as long as it is
 * accepted.
 *
 * Defines `attempt(change, undo)`, because Lua does not roll back. If a command of `change` is refused, because of a
 * missing right or a key of a wrong type, `undo` reverts the earlier commands; it must continue if some of its own
 * commands are refused. Returns the refusal, or nil.
 *
 * Scripts pass numbers to commands as text, because the server converts numbers slowly. A call passes only the keys and
 * arguments that it uses, because each costs the server as much as half a command.
 */
export const writeScript = (lua: string): Script =>
  script(`
local known = redis.call('GET', KEYS[1])
local time = redis.call('TIME')
local clock = time[1] * 1000 + time[2] / 1000
local left = ARGV[1] - clock
if not known and (left <= 0 or left > ARGV[2] - ARGV[1]) then return {'late', clock} end
local function remember(value)
  redis.call('SET', KEYS[1], value, 'PXAT', ARGV[2])
end
local function attempt(change, undo)
  local isDone, refusal = pcall(change)
  if isDone then return nil end
  undo()
  redis.pcall('DEL', KEYS[1])
  return {err = string.gsub(type(refusal) == 'table' and refusal.err or refusal, '^@user_script: ?%d+: ', '')}
end
${lua}`);

type Attempt<T> = (client: RedisClient) => Promise<T>;

/** The reply of a command or script, or the failure. */
export type Reply<T = unknown> = Promise<Result<T, Failure>>;

/**
 * One call of the store: all its commands share one deadline. Until the deadline it retries after transient failures,
 * which is safe because scripts recognise calls that have arrived before. Once the outcome of a command is unknown, the
 * outcome of the call stays unknown, even if a later attempt is refused.
 */
export class Call {
  readonly #connection: Connection;
  readonly #end: number;
  #isUnknown = false;

  constructor(connection: Connection, end: number) {
    this.#connection = connection;
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

  /** Runs a script that corrects only data that readers do not trust, and that may run any number of times. */
  repairScript(script: Script, keys: readonly string[], args: readonly string[]): Reply {
    return this.#run(script, keys, args, true);
  }

  /**
   * Runs a `writeScript`; `keys` and `args` follow its own ones. The server accepts a call until a second after its
   * deadline, and recognises it twice as long. Until then, a call that was refused as late was never applied, so it is
   * sent again by the server's time. A later one may have been applied and forgotten if the clocks have agreed before.
   * If they have not, this machine's clock is wrong, and the call was never accepted.
   */
  async writeScript(script: Script, writes: string, keys: readonly string[], args: readonly string[]): Reply {
    const write = writes + newId();
    const span = this.#connection.timeoutMs + 2 * CLOCK_MARGIN_MS;
    for (;;) {
      const { hasAgreed } = this.#connection;
      const till = Math.ceil(this.#connection.serverNow() + this.#left() + CLOCK_MARGIN_MS);
      const reply = await this.#run(script, [write, ...keys], [String(till), String(till + span), ...args], true);
      const [outcome, time]: readonly unknown[] = reply.isOk() && Array.isArray(reply.value) ? reply.value : [];
      if (outcome !== 'late') {
        this.#connection.hasAgreed ||= reply.isOk();
        return reply;
      }
      const serverNow = Number(time);
      this.#connection.setServerNow(serverNow);
      this.#isUnknown ||= hasAgreed && serverNow >= till + span;
      if (this.#isUnknown || this.#left() <= 0) return err(timedOut(this.#isUnknown ? 'unknown' : 'not_applied'));
    }
  }

  /** Runs a script by its SHA-1; sends its source if the server does not know it. */
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
      const mayRetry = failure.isTransient && !this.#connection.isClosed && pause < this.#left();
      if (!mayRetry) {
        const outcome = this.#isUnknown ? 'unknown' : 'not_applied';
        return err({ ...failure, error: { ...failure.error, outcome } });
      }
      await sleep(pause);
    }
  }

  #once<T>(attempt: Attempt<T>): Reply<T> {
    const left = this.#left();
    if (left <= 0) return Promise.resolve(err(timedOut('not_applied')));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left, err(timedOut('unknown')));
      const settle = (answer: Result<T, Failure>): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      try {
        attempt(this.#connection.client).then(
          (value) => settle(ok(value)),
          (cause: unknown) => settle(err(failureOf(cause))),
        );
      } catch (cause) {
        settle(err(failureOf(cause)));
      }
    });
  }

  #left(): number {
    return this.#end - performance.now();
  }
}

/**
 * The host's client with a timeout: every call settles within `timeoutMs`, independent of the settings of the client.
 */
export class Connection {
  readonly client: RedisClient;
  readonly timeoutMs: number;
  /** The server's clock minus that of this machine, in milliseconds; 0 until the server refuses a call as late. */
  #offsetMs = 0;
  /** Whether the server has accepted a call with a deadline by `serverNow`. */
  hasAgreed = false;

  constructor(client: RedisClient, timeoutMs: number) {
    this.client = client;
    this.timeoutMs = timeoutMs;
  }

  /** Whether the host has closed the client for good. */
  get isClosed(): boolean {
    return this.client.status === 'end';
  }

  /** The server's time in milliseconds since the epoch. */
  serverNow(): number {
    return Date.now() + this.#offsetMs;
  }

  setServerNow(serverNow: number): void {
    this.#offsetMs = serverNow - Date.now();
  }

  /** Begins a call with its deadline. */
  begin(): Call {
    return new Call(this, performance.now() + this.timeoutMs);
  }
}
