import { having } from '../../src/schema/host-values.js';
import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema, schema } from '../../src/schema/schema.js';
import { matching, upTo } from '../../src/schema/values.js';
import { hasMethods } from '../../src/session/fields.js';
import { type AskedDeployment, askedOf, deploymentFields } from '../stored/deployment.js';

/**
 * The part of an ioredis client (5 or 6, `Redis` or `Cluster`) that the store uses. The client
 * belongs to the host: the store never reconfigures, extends or closes it. Declared here, so that
 * ioredis is not needed to compile against this store.
 */
export interface RedisClient {
  /** `end` after the client has been closed for good. */
  readonly status: string;
  get(key: string): Promise<string | null>;
  mget(...keys: string[]): Promise<(string | null)[]>;
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  zrangebyscore(
    key: string,
    least: string,
    most: number,
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>;
  zrangebyscore(
    key: string,
    least: string,
    most: number,
    scores: 'WITHSCORES',
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>;
  zcount(key: string, least: string, most: number | string): Promise<number>;
  /** To warn of a server that evicts keys. Optional, and so is the right to use it. */
  info?(section: string): Promise<unknown>;
  /** The next two methods are for events only. */
  xrange?(
    key: string,
    from: string,
    to: string,
    count: 'COUNT',
    size: number,
  ): Promise<readonly unknown[]>;
  xrevrange?(
    key: string,
    from: string,
    to: string,
    count: 'COUNT',
    size: number,
  ): Promise<readonly unknown[]>;
  /** For events too. Optional, even for events, and so is the right to use it. */
  xinfo?(subcommand: 'STREAM', key: string): Promise<unknown>;
  /** The members from here on are for `repair` only. */
  readonly options?: { readonly keyPrefix?: string | undefined } | undefined;
  nodes?(role: 'master'): readonly RedisClient[];
  scan?(
    cursor: string,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    size: number,
  ): Promise<[cursor: string, keys: string[]]>;
  zscan?(
    key: string,
    cursor: string,
    count: 'COUNT',
    size: number,
  ): Promise<[cursor: string, membersAndScores: string[]]>;
}

/** The part of an ioredis client (5 or 6, `Redis`) that waits for events. */
export interface BlockingRedisClient {
  readonly status: string;
  xread(
    count: 'COUNT',
    size: number,
    block: 'BLOCK',
    ms: number,
    streams: 'STREAMS',
    ...namesAndIds: string[]
  ): Promise<unknown>;
  xrevrange(
    key: string,
    from: string,
    to: string,
    count: 'COUNT',
    size: number,
  ): Promise<readonly unknown[]>;
}

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
   * A separate connection for watches, such as `client.duplicate()`: one blocking read on it waits
   * for new events of all watched streams. It belongs to the host: close it after the watches, and
   * use it for nothing else. Not for a `Cluster`, where one read cannot reach several partitions.
   * Default: watched streams are polled.
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
  /** The host's own ioredis client, version 5 or 6, `Redis` or `Cluster`; its `keyPrefix` works. */
  readonly client: RedisClient;
  /** The prefix of all keys: 1 to 128 characters without `{`, `}` and `*`. Default: `colloquy`. */
  readonly prefix?: string | undefined;
  /**
   * Number of hash slots for the tenants, 1 to 16384; use more than 1 for a cluster, such as 64.
   * The first process that creates a session stores it for all processes, like `events` and
   * `reportEnds`. A process without these options follows the stored settings, and a
   * process with different values gets `misconfigured`. Default: the stored number; in a new store
   * 1.
   */
  readonly partitions?: number | undefined;
  /** Maximum duration of any call in milliseconds, 1 to 600000. Default: 2000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether every change is sent to all processes as an event, through one Redis Stream per
   * partition. A stream keeps about `length` events, 1 to 100000000; an event takes about 100
   * bytes. Without this option, sessions can be watched if the stored setting enables events.
   * Default: the stored setting; in a new store false.
   */
  readonly events?: boolean | RedisEventsOptions | undefined;
  /**
   * Whether sweeps report the end of each session to `onEnded`. `repair({ reconfigure: true })`
   * changes it. Default: the stored setting; in a new store false.
   */
  readonly reportEnds?: boolean | undefined;
}

/** The validated options with their defaults. Undefined options follow the stored settings. */
export interface RedisSettings extends AskedDeployment {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly partitions: number | undefined;
  readonly timeoutMs: number;
  readonly eventsClient: BlockingRedisClient | undefined;
}

const MAX_PARTITIONS = 16_384;
const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 2000;

const eventsClient = schema((issues, path, client) => {
  const canBlock = hasMethods(client, 'xread', 'xrevrange') && !hasMethods(client, 'nodes');
  issues.check(canBlock, path, 'must be an ioredis client, but not a Cluster');
});

const read = optionsOf('RedisSessionStore', {
  // Of any class, since it belongs to the host.
  client: having('must be an ioredis client', 'evalsha'),
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
  const { client, events: given } = options;
  return {
    client,
    prefix,
    partitions,
    timeoutMs,
    ...askedOf({ events, reportEnds }),
    eventsClient: typeof given === 'object' ? given.client : undefined,
  };
};
