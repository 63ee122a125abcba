import { optionsOf, readArgument } from '../../src/schema/options-of.js';
import { checked, optional, type Schema, typed } from '../../src/schema/schema.js';
import { flag, matching, upTo } from '../../src/schema/values.js';
import { hasMethods } from '../../src/session/fields.js';
import { type AskedDeployment, askedOf, deploymentFields } from '../stored/deployment.js';

/** A connection of a pool. */
export interface PostgresClient {
  /**
   * For a client with a method `escapeIdentifier`, like the clients of pg, the argument is
   * `{ name, text, values }`.
   */
  query(text: string, values?: unknown[]): PromiseLike<unknown>;
  /** With `true`, the pool closes the connection. */
  release(destroy?: boolean): unknown;
  /** Delivers notifications. Without it, the store polls for events. */
  on?(event: string, listener: (value: unknown) => void): unknown;
}

/**
 * A pool of connections, for example `Pool` of the package pg. It belongs to the host: the store
 * never configures or ends it. Declared here, so that this store compiles without a driver.
 */
export interface PostgresPool {
  /** True once the host has called `end`, in pools that report this. */
  readonly ending?: unknown;
  readonly ended?: unknown;
  connect(): PromiseLike<PostgresClient>;
  /** Lets the store listen for the errors of a connection from its start. */
  on?(event: 'connect', listener: (client: PostgresClient) => void): unknown;
}

/**
 * A connection of postgres.js: the `sql` of `sql.begin` or `sql.reserve`, or the pool itself.
 */
export interface PostgresSqlConnection {
  /** The values are strings, numbers and booleans, or convert to a string when they are sent. */
  unsafe(
    text: string,
    values?: unknown[],
    options?: { readonly prepare?: boolean | undefined },
  ): PromiseLike<unknown>;
}

/**
 * The function `sql` of the package postgres (postgres.js). It belongs to the host: the store never
 * ends it. Declared here, so that this store compiles without a driver.
 */
export interface PostgresSql extends PostgresSqlConnection {
  /** The settings that the store reads. */
  readonly options: {
    /** Maximum number of connections, and of the store's concurrent statements. */
    readonly max: number;
    /** A function `from` would hide columns from the store. */
    readonly transform: Readonly<
      Record<'column' | 'value' | 'row', { readonly from?: unknown } | undefined>
    >;
  };
  /** Runs a transaction. Only `migrate` uses it. */
  begin<T>(options: string, work: (sql: PostgresSqlConnection) => Promise<T>): PromiseLike<unknown>;
  /** Subscribes to notifications, over a further connection. */
  listen(
    channel: string,
    notified: (payload: string) => void,
    listening?: () => void,
  ): PromiseLike<{ unlisten(): PromiseLike<unknown> }>;
}

/**
 * Options of a `PostgresSessionStore`.
 *
 * @example
 * ```ts
 * const store = new PostgresSessionStore({
 *   pool,
 *   schema: 'calls',
 *   timeoutMs: 2000,
 *   reportEnds: true,
 *   events: { length: 50_000, listen: false }, // for example behind PgBouncer
 * });
 * ```
 *
 * @example
 * ```ts no-run
 * import postgres from 'postgres';
 *
 * const sql = postgres('postgres://127.0.0.1/calls', { fetch_types: false, backoff: () => 0.5 });
 * const store = new PostgresSessionStore({ sql });
 * ```
 */
export interface PostgresSessionStoreOptions {
  /** The pool of the package pg, or one with the same methods. Either this or `sql`. */
  readonly pool?: PostgresPool | undefined;
  /**
   * The function `sql` of the package postgres (postgres.js). Its `transform` must not rename
   * columns or change values.
   */
  readonly sql?: PostgresSql | undefined;
  /**
   * The schema of the tables: 1 to 50 of the characters `a-z 0-9 _`, not a digit first. Default:
   * `colloquy`.
   */
  readonly schema?: string | undefined;
  /**
   * Timeout of a call in milliseconds, including the wait for a connection of the pool: 1 to
   * 600000. Default: 5000. `migrate` has no timeout.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Report the end of each session to `onEnded` of a sweep. The first `migrate()` stores this
   * setting and `events` for all processes. A process without this option follows the stored
   * setting; the calls of a process with a different value fail with `misconfigured`. Default: the
   * stored setting; at the first `migrate()` false.
   */
  readonly reportEnds?: boolean | undefined;
  /**
   * Enable events. The log keeps the last `length` events, 1 to 100000000; the length may differ
   * between processes. With `listen: false`, the store never sends LISTEN and polls for the events
   * of other processes. Without this option, sessions can be watched if the stored setting enables
   * events. Default: the stored setting; at the first `migrate()` no events.
   */
  readonly events?:
    | boolean
    | {
        /**
         * Number of the latest events that are kept, 1 to 100000000. Default: the stored number; at
         * the first `migrate()` 100000.
         */
        readonly length?: number | undefined;
        /**
         * Use LISTEN to be notified of the events of other processes; otherwise poll. Default:
         * true.
         */
        readonly listen?: boolean | undefined;
      }
    | undefined;
}

export type HostConnection = Pick<PostgresClient, 'query'> | PostgresSqlConnection;

export type PostgresHost = { readonly pool: PostgresPool } | { readonly sql: PostgresSql };

export interface PostgresSettings extends AskedDeployment {
  readonly host: PostgresHost;
  readonly schema: string;
  readonly timeoutMs: number;
  readonly listen: boolean;
}

const MAX_TIMEOUT_MS = 600_000;
const schemaForm = /^[a-z_][a-z0-9_]{0,49}$/;

const isPool = (value: unknown): value is PostgresPool => hasMethods(value, 'connect');

const isSql = (value: unknown): value is PostgresSql =>
  typeof value === 'function' &&
  ['unsafe', 'begin', 'listen'].every((name) => typeof Reflect.get(value, name) === 'function');

/** Whether the rows arrive as the server sends them. */
const isPlain = (given: PostgresSql | undefined): boolean => {
  const { column, value, row } = given?.options.transform ?? {};
  return [column, value, row].every((part) => part?.from === undefined);
};

const connectionRule =
  'must be a client of pg, a transaction or reserved sql of postgres.js, or a tx of PGlite';
const poolRule = 'must be the connection of a transaction, not a pool';
const sqlRule = 'must be the function sql of the package postgres';
const plainRule = 'must not have a transform of columns, values or rows: make one without it';

const read = optionsOf('PostgresSessionStore', {
  pool: optional(typed(isPool, 'must be a pool of connections with a method connect', undefined)),
  sql: optional(checked(typed(isSql, sqlRule, undefined), isPlain, plainRule)),
  schema: optional(
    matching(schemaForm, 'must be 1 to 50 of the characters a-z 0-9 _, not a digit first'),
    'colloquy',
  ),
  timeoutMs: optional(upTo(MAX_TIMEOUT_MS), 5000),
  ...deploymentFields({ listen: optional(flag) }),
} satisfies Readonly<Record<keyof PostgresSessionStoreOptions, Schema<unknown>>>);

const hostOf = ({ pool, sql }: ReturnType<typeof read>): PostgresHost => {
  if (pool !== undefined && sql === undefined) return { pool };
  if (sql !== undefined && pool === undefined) return { sql };
  throw new TypeError('PostgresSessionStore: options must contain either pool or sql');
};

const isConnection = (value: unknown): value is HostConnection =>
  hasMethods(value, 'query') || (typeof value === 'function' && 'unsafe' in value);

/** A pool runs each statement on a connection of its choice. */
const isPoolOf = (host: PostgresHost, value: object): boolean =>
  Object.values(host).includes(value) || 'totalCount' in value || 'begin' in value;

/** Throws a `TypeError` if the client cannot be the connection of a transaction. */
export const parseClient = (client: object, host: PostgresHost): HostConnection => {
  const connection = typed(isConnection, connectionRule, undefined);
  const read = readArgument(
    'within',
    'client',
    checked(connection, (value) => value !== undefined && !isPoolOf(host, value), poolRule),
    client,
  );
  if (read !== undefined) return read;
  throw new TypeError(`within: client ${connectionRule}`);
};

/** Throws a `TypeError` that names every invalid or unknown option. */
export const parseStoreOptions = (options: PostgresSessionStoreOptions): PostgresSettings => {
  const found = read(options);
  const { schema, timeoutMs, events, reportEnds } = found;
  const host = hostOf(found);
  const listen = typeof events !== 'object' || events.listen !== false;
  return { host, schema, timeoutMs, ...askedOf({ events, reportEnds }), listen };
};
