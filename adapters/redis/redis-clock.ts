import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { hasMethods } from '../../src/input/parse-fields.js';
import { type OptionNames, parseOptions } from '../../src/input/parse-options.js';
import { type Clock, systemClock } from '../../src/session/clock.js';
import { type StoreUnavailable, storeUnavailable } from '../../src/session/errors.js';
import { Connection } from './connection.js';
import { checkClient, parseTimeout, type RedisClient } from './redis-session-store-options.js';

/**
 * Options of a `RedisClock`.
 *
 * @example
 * ```ts
 * const clock = new RedisClock({ client, timeoutMs: 500, clock: systemClock });
 * const synced = await clock.sync();
 * if (synced.isErr()) console.error(synced.error.message);
 * ```
 */
export interface RedisClockOptions {
  /** The host's own ioredis client, as for `RedisSessionStore`. */
  readonly client: RedisClient;
  /** Maximum duration of `sync` in milliseconds. Default: 2000. */
  readonly timeoutMs?: number;
  /** The clock to correct. Default: the machine's. */
  readonly clock?: Clock;
}

/** The difference between a machine's clock and the server's. */
export interface ClockOffset {
  /** The server's time minus the machine's, in milliseconds. */
  readonly offsetMs: number;
  /**
   * Maximum error of the offset in either direction, in milliseconds: half of the time that the
   * reply took.
   */
  readonly uncertaintyMs: number;
}

const SAMPLES = 3;

const optionNames: OptionNames<Omit<RedisClockOptions, 'client' | 'clock'>> & {
  client: true;
  clock: true;
} = {
  client: true,
  timeoutMs: true,
  clock: true,
};

/**
 * The time of the Redis server, for processes on machines whose clocks differ. Pass it to
 * `SessionService` as `clock`, call `sync` before the first session, and again about every minute.
 * Until the first `sync`, and while the server cannot be reached, the clock uses the last known
 * offset.
 *
 * @example
 * ```ts
 * const clock = new RedisClock({ client });
 * await unwrap(clock.sync());
 * const sessions = new SessionService({ store: new RedisSessionStore({ client }), clock });
 * ```
 */
export class RedisClock implements Clock {
  readonly #connection: Connection;
  readonly #clock: Clock;
  #offsetMs = 0;
  /** The `after` of the corrected clock, if it has one. */
  readonly after?: NonNullable<Clock['after']>;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: RedisClockOptions) {
    const { client, timeoutMs, clock } = parseOptions(
      'RedisClock',
      options,
      optionNames,
      (issues) => {
        checkClient(issues, options.client);
        const given = options.clock ?? systemClock;
        const isClock =
          hasMethods(given, 'now') && (given.after === undefined || hasMethods(given, 'after'));
        issues.check(isClock, 'clock', 'must be a Clock');
        return {
          client: options.client,
          timeoutMs: parseTimeout(issues, options.timeoutMs ?? 2000),
          clock: given,
        };
      },
    );
    this.#connection = new Connection(client, timeoutMs);
    this.#clock = clock;
    const { after } = clock;
    if (after !== undefined) this.after = (ms, done) => after.call(clock, ms, done);
  }

  /**
   * The time of the server in milliseconds since the epoch.
   *
   * @example
   * ```ts
   * const clock = new RedisClock({ client });
   * await unwrap(clock.sync());
   * console.info('The server has', new Date(clock.now()).toISOString());
   * ```
   */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /**
   * Reads the server's time three times, and uses the reply that arrived fastest.
   *
   * @example
   * ```ts
   * const synced = await new RedisClock({ client }).sync();
   * if (synced.isErr()) console.error(synced.error.message);
   * else console.info(`${synced.value.offsetMs} ms off, +/- ${synced.value.uncertaintyMs}`);
   * ```
   */
  sync(): ResultAsync<ClockOffset, StoreUnavailable> {
    return new ResultAsync(this.#measure());
  }

  async #measure(): Promise<Result<ClockOffset, StoreUnavailable>> {
    const call = this.#connection.begin();
    let best: ClockOffset | undefined;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const began = performance.now();
      const answer = await call.readCommand((client) => client.time?.() ?? Promise.resolve([]));
      if (answer.isErr()) return err(answer.error.error);
      const uncertaintyMs = (performance.now() - began) / 2;
      const [seconds, microseconds] = answer.value.map(Number);
      const serverMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
      if (!Number.isFinite(serverMs))
        return err(storeUnavailable('the server gave no time', 'not_applied'));
      const offsetMs = serverMs + uncertaintyMs - this.#clock.now();
      if (best === undefined || uncertaintyMs < best.uncertaintyMs)
        best = { offsetMs, uncertaintyMs };
    }
    if (best === undefined) return err(storeUnavailable('the server gave no time', 'not_applied'));
    this.#offsetMs = best.offsetMs;
    return ok(best);
  }
}
