import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { Sender } from './clients.js';
import {
  closed,
  type Failure,
  failureOf,
  outcomeOfFailure,
  timedOut,
  unknownReply,
  withOutcome,
} from './failure.js';
import { asText, type ReplyForm } from './reply-form.js';

/**
 * Milliseconds before the first retry after a transient failure; doubles with every further retry.
 */
const FIRST_PAUSE_MS = 20;

/** Clocks may differ by this many milliseconds without costing a write a second attempt. */
const CLOCK_MARGIN_MS = 1000;

const LATE = /^late (\d+)$/;

const ID_LENGTH = 12;

export const newId = (): string => nanoid(ID_LENGTH);

/** A Lua script and the SHA-1 by which the server knows it. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

export const scriptOf = (...parts: readonly string[]): Script => {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
};

export type Route = Pick<Sender, 'send'>;

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

interface Request<T> {
  readonly attempt: Command;
  readonly whole: Command;
  readonly form: ReplyForm<T>;
  readonly changes: boolean;
  readonly route?: Route | undefined;
}

export type Reply<T> = Promise<Result<T, Failure>>;

const running = (
  { sha1, lua }: Script,
  keys: readonly string[],
  args: readonly string[],
): Pick<Request<unknown>, 'attempt' | 'whole'> => {
  const rest = [String(keys.length), ...keys, ...args];
  return {
    attempt: { command: 'evalsha', args: [sha1, ...rest] },
    whole: { command: 'eval', args: [lua, ...rest] },
  };
};

const inForm = <T>(reply: unknown, form: ReplyForm<T>): Result<T, Failure> => {
  const value = form(reply);
  return value === undefined ? err(unknownReply) : ok(value);
};

/**
 * One call of the store. Its commands share one deadline, until which it retries after transient
 * failures: scripts recognise calls that arrived before. After one command with an unknown outcome,
 * the outcome of the call stays unknown, even if a later attempt is refused.
 */
export class Call {
  readonly #connection: Connection;
  readonly end: number;
  #isUnknown = false;

  constructor(connection: Connection, end: number) {
    this.#connection = connection;
    this.end = end;
  }

  readCommand<T>(
    command: string,
    args: readonly string[],
    form: ReplyForm<T>,
    route?: Route,
  ): Reply<T> {
    const attempt = { command, args };
    return this.#send({ attempt, whole: attempt, form, changes: false, route });
  }

  readScript<T>(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    form: ReplyForm<T>,
  ): Reply<T> {
    return this.#send({ ...running(script, keys, args), form, changes: false });
  }

  /** Runs a script that is safe to run any number of times. */
  repairScript(script: Script, keys: readonly string[], args: readonly string[]): Reply<string> {
    return this.#send({ ...running(script, keys, args), form: asText, changes: true });
  }

  /**
   * Runs the script of a group of mutations, which is applied at most once, even if a client
   * resends it after a lost reply. The server accepts a call until a second after its deadline, and
   * recognises it twice as long. Until then, a call that was refused as late was never applied, so
   * it is sent again with the server's time. After that, it may have been applied and forgotten if
   * the clocks agreed before. If they never agreed, this machine's clock is wrong, and the call was
   * never accepted.
   */
  async write(
    script: Script,
    notes: string,
    keys: readonly string[],
    args: readonly string[],
  ): Reply<string> {
    const note = notes + newId();
    const span = this.#connection.timeoutMs + 2 * CLOCK_MARGIN_MS;
    for (;;) {
      const { hasAgreed } = this.#connection;
      const till = Math.ceil(this.#connection.serverNow() + this.#left() + CLOCK_MARGIN_MS);
      const times = [String(till), String(till + span)];
      const reply = await this.repairScript(script, [note, ...keys], [...times, ...args]);
      const late = reply.isOk() ? LATE.exec(reply.value) : null;
      if (late === null) {
        this.#connection.hasAgreed ||= reply.isOk();
        return reply;
      }
      const serverNow = Number(late[1]);
      this.#connection.setServerNow(serverNow);
      this.#isUnknown ||= hasAgreed && serverNow >= till + span;
      if (this.#isUnknown || this.#left() <= 0)
        return err(timedOut(this.#isUnknown ? 'unknown' : 'not_applied'));
    }
  }

  async #send<T>({ attempt, whole, form, changes, route }: Request<T>): Reply<T> {
    let next = attempt;
    let refusal: Failure | undefined;
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const answer = await this.#once(next, form, route);
      if (answer.isOk()) return answer;
      const failure = answer.error;
      if (failure.code === 'NOSCRIPT' && next !== whole) {
        next = whole;
        continue;
      }
      next = attempt;
      if (failure.code !== '') refusal = failure;
      if (changes) this.#isUnknown ||= outcomeOfFailure(failure) === 'unknown';
      const mayRetry = failure.isTransient && !this.#connection.isClosed && pause < this.#left();
      if (!mayRetry) {
        const outcome = this.#isUnknown ? 'unknown' : 'not_applied';
        // The reason of a refusal says more than that no time was left for a retry.
        const isUnsent = outcomeOfFailure(failure) === 'not_applied';
        const cause = (isUnsent && refusal) || failure;
        return err({ ...cause, error: withOutcome(cause, outcome) });
      }
      await sleep(pause);
    }
  }

  #once<T>(
    { command, args }: Command,
    form: ReplyForm<T>,
    route: Route = this.#connection.sender,
  ): Reply<T> {
    const left = this.#left();
    if (left <= 0) return Promise.resolve(err(timedOut('not_applied')));
    if (this.#connection.isClosed) return Promise.resolve(err(closed));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left, err(timedOut('unknown')));
      const settle = (answer: Result<T, Failure>): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      try {
        route.send(command, args).then(
          (reply) => settle(inForm(reply, form)),
          (cause: unknown) => settle(err(failureOf(cause, this.#connection.sender.fateOf(cause)))),
        );
      } catch (cause) {
        settle(err(failureOf(cause)));
      }
    });
  }

  #left(): number {
    return this.end - performance.now();
  }
}

/**
 * The host's client with a timeout: every call settles within `timeoutMs`, whatever the settings of
 * the client.
 */
export class Connection {
  readonly sender: Sender;
  readonly timeoutMs: number;
  /**
   * The server's clock minus this machine's, in milliseconds; 0 until the server refuses a late
   * call.
   */
  #offsetMs = 0;
  /** Whether the server has accepted a call with a deadline by `serverNow`. */
  hasAgreed = false;

  constructor(sender: Sender, timeoutMs: number) {
    this.sender = sender;
    this.timeoutMs = timeoutMs;
  }

  get isClosed(): boolean {
    return this.sender.isClosed();
  }

  serverNow(): number {
    return Date.now() + this.#offsetMs;
  }

  setServerNow(serverNow: number): void {
    this.#offsetMs = serverNow - Date.now();
  }

  begin(): Call {
    return this.until(performance.now() + this.timeoutMs);
  }

  until(end: number): Call {
    return new Call(this, end);
  }
}
