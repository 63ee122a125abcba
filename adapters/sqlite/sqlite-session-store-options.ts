import { having } from '../../src/schema/host-values.js';
import { optionsOf, readArgument } from '../../src/schema/options-of.js';
import { checked, type Schema } from '../../src/schema/schema.js';
import { hasMethods, isFields } from '../../src/session/fields.js';
import { type AskedDeployment, askedOf, deploymentFields } from '../stored/deployment.js';

/** A value that the store binds to a statement. */
export type SqliteValue = string | number;

/** A prepared statement, whose rows are objects with a property for each column. */
export interface SqliteStatement {
  all(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  run(...values: SqliteValue[]): unknown;
}

/**
 * The common part of better-sqlite3, libsql, node:sqlite (`DatabaseSync`) and bun:sqlite. The
 * connection belongs to the host: the store never closes it, and sets only `busy_timeout`, with its
 * first call if it is 0. Declared here, so that this store compiles without a driver.
 */
export interface SqliteDatabase {
  /** False after the host has closed the connection, in drivers that report this. */
  readonly open?: unknown;
  readonly isOpen?: unknown;
  /** Whether a transaction is open, in drivers that report this. */
  readonly inTransaction?: unknown;
  readonly isTransaction?: unknown;
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/**
 * Options of a `SqliteSessionStore`.
 *
 * @example
 * ```ts
 * const store = new SqliteSessionStore({
 *   database,
 *   reportEnds: true,
 *   events: { length: 50_000 },
 * });
 * ```
 */
export interface SqliteSessionStoreOptions {
  /**
   * The host's open connection, with a synchronous driver. It must not be in a transaction during a
   * call, so use a separate connection for the store.
   */
  readonly database: SqliteDatabase;
  /**
   * Report the end of each session to `onEnded` of a sweep. The first `migrate()` stores this
   * setting and `events` for all processes. A process without this option follows the stored
   * setting; the calls of a process with a different value fail with `misconfigured`. Default: the
   * stored setting; at the first `migrate()` false.
   */
  readonly reportEnds?: boolean | undefined;
  /**
   * Enable events. The file keeps the last `length` events, 1 to 100000000, and up to 1% more; the
   * length may differ between processes. Without this option, sessions can be watched if the stored
   * setting enables events. Default: the stored setting; at the first `migrate()` no events.
   */
  readonly events?:
    | boolean
    | {
        /**
         * Number of the latest events that are kept, 1 to 100000000. Default: the stored number; at
         * the first `migrate()` 100000.
         */
        readonly length?: number | undefined;
      }
    | undefined;
}

export interface SqliteSettings extends AskedDeployment {
  readonly database: SqliteDatabase;
}

const DRIVERS = 'better-sqlite3, libsql, node:sqlite or bun:sqlite';

const CONNECTION = `must be an open connection of ${DRIVERS}`;

const SYNCHRONOUS = `must return rows synchronously from prepare(sql).all(): use ${DRIVERS}`;

const ignore = (): void => undefined;

const isRejectable = (value: unknown): value is PromiseLike<unknown> => hasMethods(value, 'then');

const isDatabase = (value: unknown): value is SqliteDatabase =>
  hasMethods(value, 'exec', 'prepare');

const isStatement = (value: unknown): value is SqliteStatement => hasMethods(value, 'all', 'run');

/** Drivers with other interfaces return a promise or the statement itself. */
const isOneRow = (answer: unknown): boolean => {
  const [row] = Array.isArray(answer) ? answer : [];
  return isFields(row) && Number(row['one']) === 1;
};

/** A connection that throws may be closed or locked, so the first call decides. */
const answersDirectly = (database: SqliteDatabase): boolean => {
  try {
    const statement: unknown = database.prepare('SELECT 1 AS one');
    if (isRejectable(statement)) statement.then(undefined, ignore);
    if (!isStatement(statement)) return false;
    const answer = statement.all();
    if (isRejectable(answer)) answer.then(undefined, ignore);
    return isOneRow(answer);
  } catch {
    return true;
  }
};

const openDatabase = checked(
  having(CONNECTION, 'exec', 'prepare'),
  (database) => !isDatabase(database) || answersDirectly(database),
  SYNCHRONOUS,
);

const read = optionsOf('SqliteSessionStore', {
  database: openDatabase,
  ...deploymentFields({}),
} satisfies Readonly<Record<keyof SqliteSessionStoreOptions, Schema<unknown>>>);

/** Throws a `TypeError` if the client is not a connection, or the store's own connection. */
export const parseClient = (client: object, own: SqliteDatabase): SqliteDatabase => {
  const read = checked(
    openDatabase,
    (value) => value !== own,
    'must be another connection than that of the store, whose other calls would run in the transaction',
  );
  const database = readArgument('within', 'client', read, client);
  if (isDatabase(database)) return database;
  throw new TypeError('within: client must be a connection');
};

/** Throws a `TypeError` that names every invalid or unknown option. */
export const parseStoreOptions = (options: SqliteSessionStoreOptions): SqliteSettings => ({
  ...askedOf(read(options)),
  database: options.database,
});
