import { type Result, ResultAsync } from 'neverthrow';
import type {
  Misconfigured,
  SearchTooLarge,
  StoreError,
  StoreUnavailable,
  TooLarge,
} from '../../src/session/errors.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  BeginCommit,
  Begun,
  ChangeCommit,
  Changed,
  DueKey,
  DueSessions,
  EntriesOutcome,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  RemoveCommit,
  Removed,
  SessionKey,
  SessionStore,
  StoredMessage,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import type { MigrateOptions, Migration } from '../sql/sql-deployment.js';
import { Connection } from './connection.js';
import { findEntries, findSession, findState } from './find-session.js';
import { findMessages } from './message-rows.js';
import { migrate } from './migrate.js';
import { readPage } from './read-page.js';
import { countWaiting, readDue, takeSessions } from './read-queue.js';
import { SessionWriter } from './session-writer.js';
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
 * blocks the process until SQLite has answered, also while SQLite waits for a lock (`busy_timeout`,
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
export class SqliteSessionStore implements SessionStore {
  readonly #connection: Connection;
  /** This store in transactions of the host, by their connections. */
  readonly #within = new WeakMap<object, SqliteSessionStore>();
  readonly #writer: SessionWriter;
  /**
   * The log of changes; undefined if `events` is false in the options. Watches need a file with
   * events enabled.
   */
  readonly events: SqliteEventLog | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: SqliteSessionStoreOptions) {
    const isWithin = options instanceof Connection;
    this.#connection = isWithin ? options : new Connection(parseStoreOptions(options));
    const events = new SqliteEventLog(this.#connection);
    const hasEvents = !isWithin && this.#connection.asked.events !== false;
    this.events = hasEvents ? events : undefined;
    this.#writer = new SessionWriter(this.#connection, events);
  }

  /**
   * Makes the tables, or upgrades those of an earlier version, and sets `journal_mode = WAL`, which
   * is permanent for the file. Safe to call at every start and from several processes at once;
   * changes nothing if the tables exist. The names of all tables begin with `colloquy_`. Until the
   * first call, every operation returns `misconfigured`. A database that cannot have a write-ahead
   * log works without one: `withoutWal` is the reason. Never throws or rejects.
   *
   * The call that makes the tables stores `events` and `reportEnds` for all processes; later calls
   * with other values return `misconfigured`. With `reconfigure`, the stored settings change to the
   * options of this process. Processes that are already running keep the settings that they have
   * read: stop them first.
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
    const store = new SqliteSessionStore(new TransactionConnection(database, this.#connection));
    this.#within.set(client, store);
    return store;
  }

  begin(commit: BeginCommit): Promise<Result<Begun, StoreError>> {
    return this.#writer.begin(commit);
  }

  change(commit: ChangeCommit): Promise<Result<Changed, StoreError>> {
    return this.#writer.change(commit);
  }

  remove(commit: RemoveCommit): Promise<Result<Removed, StoreError>> {
    return this.#writer.remove(commit);
  }

  take(range: TakeRange): Promise<Result<TakenRecords, StoreError>> {
    return takeSessions(this.#connection, range);
  }

  find(
    key: SessionKey,
    size: ReadSize = {},
  ): Result<SessionRecord | undefined, StoreError | TooLarge> {
    return findSession(this.#connection, key, size);
  }

  reportsEnds(): Result<boolean, StoreError> {
    return this.#connection.deployment().map(({ reportEnds }) => reportEnds);
  }

  findState(key: DueKey): Result<StateRecord | undefined, StoreError> {
    return findState(this.#connection, key);
  }

  messages(key: SessionKey, ids?: readonly string[]): Result<readonly StoredMessage[], StoreError> {
    return findMessages(this.#connection, key, ids);
  }

  entries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, StoreError> {
    return findEntries(this.#connection, key, slice);
  }

  page(
    tenant: string,
    range: PageRange,
  ): Result<RecordPage, StoreError | SearchTooLarge | TooLarge> {
    return readPage(this.#connection, tenant, range);
  }

  due(now: number, limit: number): Result<DueSessions, StoreError> {
    return readDue(this.#connection, now, limit);
  }

  countWaiting(range: WaitingRange): Result<number, StoreError> {
    return countWaiting(this.#connection, range);
  }
}
