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
  EventLog,
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
import { findEntries, findMessages, findSession, findState } from './find-session.js';
import { GroupWriter } from './group-writer.js';
import { migrate } from './migrate.js';
import { channelOf, PostgresEventLog } from './postgres-event-log.js';
import {
  type PostgresSessionStoreOptions,
  type PostgresSettings,
  parseClient,
  parseStoreOptions,
} from './postgres-session-store-options.js';
import { readPage } from './read-page.js';
import { countWaiting, readDue, takeSessions } from './read-queue.js';
import { SessionWriter } from './session-writer.js';
import { StepWriter } from './step-writer.js';
import { TransactionConnection } from './transaction-connection.js';

/**
 * Keeps sessions in PostgreSQL (13 or later), shared by any number of processes, through the host's
 * own pool. Call `migrate()` once before the first operation. Every change is one statement and one
 * transaction, and holds no lock between round trips.
 *
 * @example
 * ```ts no-run
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/calls' });
 * pool.on('error', console.error); // without it, a lost idle connection ends the process
 * const store = new PostgresSessionStore({ pool });
 * await unwrap(store.migrate());
 * const sessions = new SessionService({ store });
 * ```
 */
export class PostgresSessionStore implements SessionStore {
  readonly #own: Connection;
  readonly #connection: Connection | TransactionConnection;
  readonly #settings: PostgresSettings;
  readonly #writer: SessionWriter;
  readonly #log: PostgresEventLog | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: PostgresSessionStoreOptions) {
    if (options instanceof TransactionConnection) {
      this.#settings = options.settings;
      this.#own = options.own;
      this.#connection = options;
      this.#writer = new SessionWriter(options, new StepWriter(channelOf(this.#settings)));
      return;
    }
    this.#settings = parseStoreOptions(options);
    this.#own = new Connection(this.#settings);
    this.#connection = this.#own;
    this.#log = new PostgresEventLog(this.#own, this.#settings);
    this.#writer = new SessionWriter(this.#own, new GroupWriter(), this.#log);
  }

  /**
   * The log of changes; undefined if `events` is false in the options. Watches need a database with
   * events enabled.
   */
  get events(): EventLog | undefined {
    return this.#settings.events === false ? undefined : this.#log;
  }

  /**
   * Makes the schema and its tables, or upgrades those of an earlier version. Safe to call at every
   * start and from several processes at once; only reads if the tables exist. Until then every
   * operation returns `misconfigured`. Never throws or rejects.
   *
   * The call that makes the tables stores `events` and `reportEnds` for all processes; later calls
   * with other values return `misconfigured`. With `reconfigure`, the stored settings change to the
   * options of this process. Processes that are already running keep the settings that they have
   * read: stop them first.
   *
   * @example
   * ```ts
   * const store = new PostgresSessionStore({ pool });
   * const migrated = await store.migrate();
   * if (migrated.isErr()) console.error(migrated.error.message);
   * else console.log(migrated.value.from); // 0
   * ```
   *
   * @example
   * ```ts
   * await unwrap(new PostgresSessionStore({ pool }).migrate());
   * const store = new PostgresSessionStore({ pool, events: true });
   * await unwrap(store.migrate({ reconfigure: true })); // from now on, there are events
   * ```
   */
  migrate(options: MigrateOptions = {}): ResultAsync<Migration, StoreUnavailable | Misconfigured> {
    return new ResultAsync(migrate(this.#own, this.#settings, options));
  }

  /**
   * Settles when no call is under way. With a `SessionService`, call its `drain` instead: an
   * operation may be between two calls. Closing the pool ends calls that are on their way.
   *
   * @example
   * ```ts
   * const store = new PostgresSessionStore({ pool });
   * await store.drain(); // then `await pool.end()`
   * ```
   */
  drain(): Promise<void> {
    return this.#connection.underWay.drain();
  }

  /**
   * This store within a transaction that the host has begun with READ COMMITTED on a connection to
   * the same database; see `SessionService.within`. Throws a `TypeError` if `client` is no such
   * connection.
   */
  within(client: object): SessionStore {
    const connection = parseClient(client, this.#settings.host);
    return new PostgresSessionStore(new TransactionConnection(connection, this.#own));
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
    return takeSessions(this.#connection.begin(), range);
  }

  find(
    key: SessionKey,
    size: ReadSize = {},
  ): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> {
    return findSession(this.#connection.begin(), key, size);
  }

  async reportsEnds(): Promise<Result<boolean, StoreError>> {
    const deployment = await this.#connection.begin().deployment();
    return deployment.map(({ reportEnds }) => reportEnds);
  }

  findState(key: DueKey): Promise<Result<StateRecord | undefined, StoreError>> {
    return findState(this.#connection.begin(), key);
  }

  messages(
    key: SessionKey,
    ids?: readonly string[],
  ): Promise<Result<readonly StoredMessage[], StoreError>> {
    return findMessages(this.#connection.begin(), key, ids);
  }

  entries(key: SessionKey, slice: HistorySlice): Promise<Result<EntriesOutcome, StoreError>> {
    return findEntries(this.#connection.begin(), key, slice);
  }

  page(
    tenant: string,
    range: PageRange,
  ): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> {
    return readPage(this.#connection.begin(), tenant, range);
  }

  due(now: number, limit: number): Promise<Result<DueSessions, StoreError>> {
    return readDue(this.#connection.begin(), now, limit);
  }

  countWaiting(range: WaitingRange): Promise<Result<number, StoreError>> {
    return countWaiting(this.#connection.begin(), range);
  }
}
