import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema, typed } from '../../src/schema/schema.js';
import { matching, upTo } from '../../src/schema/values.js';
import { type AskedDeployment, askedOf, deploymentFields } from '../stored/deployment.js';
import {
  type BlockingRedisClient,
  isBlockingClient,
  isClient,
  type RedisClient,
  type Sender,
  senderOf,
} from './clients.js';

/**
 * Options of events.
 *
 * @example
 * ```ts no-run
 * import { Redis } from 'ioredis';
 *
 * const client = new Redis('redis://127.0.0.1:6379');
 * const store = new RedisSessionStore({
 *   client,
 *   events: { length: 50_000, client: client.duplicate() },
 * });
 * ```
 */
export interface RedisEventsOptions {
  /**
   * Approximate number of events that a stream keeps, 1 to 100000000. It may differ between
   * processes. Default: the stored number; in a new store 100000.
   */
  readonly length?: number | undefined;
  /**
   * A separate connection for watches, for example `client.duplicate()`: one blocking read on it
   * waits for new events of all watched streams. It belongs to the host: use it for nothing else,
   * and close it after the watches. A cluster is not accepted, because one read cannot reach
   * several partitions. Default: watched streams are polled.
   */
  readonly client?: BlockingRedisClient | undefined;
}

/**
 * Options of a `RedisSessionStore`.
 *
 * @example
 * ```ts
 * const store = new RedisSessionStore({
 *   client,
 *   prefix: 'calls',
 *   partitions: 64, // for a cluster
 *   timeoutMs: 1000,
 *   reportEnds: true,
 * });
 * ```
 */
export interface RedisSessionStoreOptions {
  /**
   * The host's own client: ioredis 5 or 6 or iovalkey, `Redis` or `Cluster`; or node-redis 6.1 or
   * later, connected, from `createClient`, `createClientPool`, `createCluster` or `createSentinel`.
   * Its `keyPrefix` works.
   */
  readonly client: RedisClient;
  /** The prefix of all keys: 1 to 128 characters without `{`, `}` and `*`. Default: `colloquy`. */
  readonly prefix?: string | undefined;
  /**
   * Number of hash slots for the tenants, 1 to 16384; use more than 1 for a cluster, for example
   * 64. The first process that creates a session stores it for all processes, like `events` and
   * `reportEnds`. A process without these options follows the stored settings, and one with
   * different values fails with `misconfigured`. Default: the stored number; in a new store 1.
   */
  readonly partitions?: number | undefined;
  /** Maximum duration of any call in milliseconds, 1 to 600000. Default: 2000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Send every change to all processes as an event, through one Redis Stream per partition. A
   * stream keeps about `length` events, 1 to 100000000; an event takes about 100 bytes. Without
   * this option, sessions can be watched if the stored setting enables events. Default: the stored
   * setting; in a new store false.
   */
  readonly events?: boolean | RedisEventsOptions | undefined;
  /**
   * Report the end of each session to `onEnded` during sweeps. `repair({ reconfigure: true })`
   * changes it. Default: the stored setting; in a new store false.
   */
  readonly reportEnds?: boolean | undefined;
}

/** The validated options with their defaults. Undefined options follow the stored settings. */
export interface RedisSettings extends AskedDeployment {
  readonly sender: Sender;
  readonly prefix: string;
  readonly partitions: number | undefined;
  readonly timeoutMs: number;
  readonly eventsSender: Sender | undefined;
}

const MAX_PARTITIONS = 16_384;
const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 2000;

const CLIENT = 'must be a client of ioredis, iovalkey or node-redis 6';

// `typed` without a class, because the client's class belongs to the host.
const client = typed(isClient, CLIENT, undefined);
const eventsClient = typed(isBlockingClient, `${CLIENT}, but not of a cluster`, undefined);

const read = optionsOf('RedisSessionStore', {
  client,
  prefix: optional(
    matching(/^[^{}*]{1,128}$/, 'must have 1 to 128 characters, none of them {, } or *'),
    'colloquy',
  ),
  partitions: optional(upTo(MAX_PARTITIONS)),
  timeoutMs: optional(upTo(MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS),
  ...deploymentFields({ client: optional(eventsClient) }),
} satisfies Readonly<Record<keyof RedisSessionStoreOptions, Schema<unknown>>>);

/** Throws a `TypeError` that names every invalid or unknown option. */
export const parseStoreOptions = (options: RedisSessionStoreOptions): RedisSettings => {
  const { prefix, partitions, timeoutMs, events, reportEnds } = read(options);
  const sender = senderOf(options.client);
  const waiting = typeof options.events === 'object' ? options.events.client : undefined;
  return {
    sender,
    prefix: sender.ownPrefix + prefix,
    partitions,
    timeoutMs,
    ...askedOf({ events, reportEnds }),
    eventsSender: waiting && senderOf(waiting),
  };
};
