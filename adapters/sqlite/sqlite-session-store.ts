import { ResultAsync } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import type { MigrateOptions, Migration } from '../sql/sql-deployment.js';
import { migrate } from './migrate.js';
import { OwnConnection } from './own-connection.js';
import { SessionCalls } from './session-calls.js';
import { SqliteEventLog } from './sqlite-event-log.js';
import {
  parseClient,
  parseStoreOptions,
  type SqliteSessionStoreOptions,
} from './sqlite-session-store-options.js';
import { TransactionConnection } from './transaction-connection.js';

/**
 * Keeps sessions in a SQLite file (3.25 or later), shared by the processes of one machine, through
 * the host's own synchronous connection. Call `migrate()` once before the first operation. A change
 * and its event are one transaction, and changes that arrive together share it. Each transaction
 * blocks the process until SQLite has answered, even while SQLite waits for a lock (`busy_timeout`,
 * which the first call sets to 5000 if it is 0). Reads return results, not promises.
 *
 * @example
 * ```ts no-run
 * import Database from 'better-sqlite3'; // or libsql
 *
 * const store = new SqliteSessionStore({ database: new Database('sessions.db') });
 * await unwrap(store.migrate());
 * const sessions = new SessionService({ store });
 * ```
 */
export class SqliteSessionStore extends SessionCalls implements SessionStore {
  readonly #connection: OwnConnection;
  /** The stores within transactions of the host, by their connections. */
  readonly #within = new WeakMap<object, SessionStore>();
  /**
   * The log of changes; undefined if `events` is false in the options. Watches need a file with
   * events enabled.
   */
  readonly events: SqliteEventLog | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SqliteSessionStoreOptions) {
    const connection = new OwnConnection(parseStoreOptions(options));
    const log = new SqliteEventLog(connection);
    super(connection, log);
    this.#connection = connection;
    this.events = connection.asked.events === false ? undefined : log;
  }

  /**
   * Makes the tables, or upgrades the tables of an earlier version, and sets `journal_mode = WAL`,
   * which is permanent for the file. Safe to call at every start, concurrently from several
   * processes; changes nothing if the tables exist. The names of all tables begin with `colloquy_`.
   * Every operation fails with `misconfigured` until the first call. A database that cannot have a
   * write-ahead log works without one: `withoutWal` is the reason. Never throws or rejects.
   *
   * The call that makes the tables stores `events` and `reportEnds` for all processes; later calls
   * with other values fail with `misconfigured`. With `reconfigure`, the stored settings change to
   * the options of this process. Running processes keep the settings that they have read, so stop
   * them first.
   *
   * @example
   * ```ts
   * const store = new SqliteSessionStore({ database });
   * const migrated = await store.migrate();
   * if (migrated.isErr()) console.error(migrated.error.message);
   * else console.log(migrated.value.from); // 0
   * ```
   *
   * @example
   * ```ts
   * await unwrap(new SqliteSessionStore({ database }).migrate());
   * const store = new SqliteSessionStore({ database, events: true });
   * await unwrap(store.migrate({ reconfigure: true })); // from now on, there are events
   * ```
   */
  migrate(options: MigrateOptions = {}): ResultAsync<Migration, StoreUnavailable | Misconfigured> {
    return new ResultAsync(migrate(this.#connection, options));
  }

  /**
   * Settles when no call is under way. With a `SessionService`, call its `drain` instead: an
   * operation may be between two calls. Closing the database ends calls that are on their way.
   *
   * @example
   * ```ts
   * const store = new SqliteSessionStore({ database });
   * await store.drain(); // then `database.close()`
   * ```
   */
  drain(): Promise<void> {
    return this.#connection.underWay.drain();
  }

  /**
   * This store within a transaction that the host has begun on another connection to the file; see
   * `SessionService.within`. Throws a `TypeError` if `client` is no such connection.
   */
  within(client: object): SessionStore {
    const known = this.#within.get(client);
    if (known !== undefined) return known;
    const database = parseClient(client, this.#connection.database);
    this.#connection.hostTransactions.add(database);
    const connection = new TransactionConnection(database, this.#connection);
    const store = new SessionCalls(connection, new SqliteEventLog(connection));
    this.#within.set(client, store);
    return store;
  }
}
