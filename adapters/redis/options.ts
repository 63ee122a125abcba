import { err, ok, type Result } from 'neverthrow';
import { type StoreUnavailable, storeUnavailable } from '../../src/errors.js';
import type { RedisClient } from './client.js';

/** What a `RedisSessionStore` is made with. */
export interface RedisSessionStoreOptions {
  /** The host's own ioredis client, version 5 or 6, `Redis` or `Cluster`; its `keyPrefix` works. */
  readonly client: RedisClient;
  /** What all keys begin with: 1 to 128 characters without `{`, `}` and `*`. Default: `colloquy`. */
  readonly prefix?: string;
  /**
   * Over how many hash slots the tenants are spread, 1 to 16384; set once for a deployment. Default: 1; a cluster
   * wants more, such as 64.
   */
  readonly partitions?: number;
  /** The longest that any call may take, in milliseconds, 1 to 600000. Default: 2000. */
  readonly timeoutMs?: number;
  /**
   * Whether sessions can be listed by their status, for which an index is kept of each. For sessions that are there
   * already `repair()` makes it. Default: no.
   */
  readonly statusIndex?: boolean;
  /**
   * Whether every change is told to all processes, through a Redis Stream a partition. It keeps about `length` events, 1 to
   * 100000000, 100000 unless given; an event takes about 100 bytes. Default: no.
   */
  readonly events?: boolean | { readonly length?: number };
}

export interface RedisSettings {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly partitions: number;
  readonly timeoutMs: number;
  readonly statusIndex: boolean;
  /** How many events a stream keeps, where they are told. */
  readonly eventsLength: number | undefined;
}

const isClient = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'evalsha' in value && typeof value.evalsha === 'function';

const isWhole = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most;

const DEFAULT_EVENTS = 100_000;

const eventsLengthOf = (events: RedisSessionStoreOptions['events']): number | undefined => {
  if (events === undefined || events === false) return undefined;
  return events === true ? DEFAULT_EVENTS : (events.length ?? DEFAULT_EVENTS);
};

const ruleBroken = ({
  client,
  prefix,
  partitions,
  timeoutMs,
  statusIndex,
  eventsLength,
}: RedisSettings): string | undefined => {
  if (!isClient(client)) return 'client must be an ioredis client';
  if (typeof prefix !== 'string' || !/^[^{}*]{1,128}$/.test(prefix)) {
    return 'prefix must be 1 to 128 characters without {, } and *';
  }
  if (!isWhole(partitions, 16_384)) return 'partitions must be a whole number from 1 to 16384';
  if (!isWhole(timeoutMs, 600_000)) return 'timeoutMs must be a whole number from 1 to 600000';
  if (typeof statusIndex !== 'boolean') return 'statusIndex must be true or false';
  if (eventsLength !== undefined && !isWhole(eventsLength, 100_000_000)) {
    return 'events.length must be a whole number from 1 to 100000000';
  }
  return undefined;
};

const broken = (rule: string): Result<never, StoreUnavailable> =>
  err(storeUnavailable(`RedisSessionStore: ${rule}`, 'not_applied'));

/** The options with their defaults, or the rule that they break as the answer to every call. */
export const readOptions = (options: RedisSessionStoreOptions): Result<RedisSettings, StoreUnavailable> => {
  if (typeof options !== 'object' || options === null) return broken('the options must be an object');
  try {
    const { client, prefix = 'colloquy', partitions = 1, timeoutMs = 2000, statusIndex = false, events } = options;
    const settings = { client, prefix, partitions, timeoutMs, statusIndex, eventsLength: eventsLengthOf(events) };
    const rule = ruleBroken(settings);
    return rule === undefined ? ok(settings) : broken(rule);
  } catch {
    return broken('the options cannot be read');
  }
};
