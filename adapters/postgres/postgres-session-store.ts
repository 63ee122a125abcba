import { type Result, ResultAsync } from 'neverthrow';
import type {
  Misconfigured,
  SearchTooLarge,
  StoreError,
  StoreUnavailable,
  TooLarge,
} from '../../src/session/errors.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  AppendOutcome,
  DueKey,
  DueSessions,
  EntriesOutcome,
  EventLog,
  HistoryAppend,
  HistorySlice,
  Inserted,
  Opening,
  PageRange,
  ReadSize,
  RecordPage,
  Redacted,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
  SessionStore,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import type { Migration } from '../sql/schema-version.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { insertInput, removeInput, replaceInput, rescheduleInput } from './change-input.js';
import { Connection } from './connection.js';
import { findEntries, findSession, findState } from './find-session.js';
import { migrate } from './migrate.js';
import { PostgresEventLog } from './postgres-event-log.js';
import {
  type PostgresSessionStoreOptions,
  type PostgresSettings,
  parseStoreOptions,
} from './postgres-session-store-options.js';
import { readPage } from './read-page.js';
import { claimSessions, countWaiting, readDue } from './read-queue.js';
import { SessionWriter } from './session-writer.js';

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
  readonly #connection: Connection;
  readonly #settings: PostgresSettings;
  readonly #writer: SessionWriter;
  readonly #log: PostgresEventLog;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: PostgresSessionStoreOptions) {
    this.#settings = parseStoreOptions(options);
    this.#connection = new Connection(this.#settings);
    this.#log = new PostgresEventLog(this.#connection, this.#settings);
    this.#writer = new SessionWriter(this.#connection, this.#log);
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
    return new ResultAsync(migrate(this.#connection, this.#settings, options));
  }

  /**
   * Settles when no call is under way. With a `SessionService`, call its `drain` instead: an operation
   * may be between two calls. Closing the pool ends calls that are on their way.
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

  insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening?: Opening,
  ): Promise<Result<Inserted, StoreError>> {
    const outcomes = ['inserted', 'taken', 'source_changed', 'too_many'] as const;
    return this.#writer.change(head.id, outcomes, insertInput(tenant, head, state, opening));
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

  list(
    tenant: string,
    range: PageRange,
  ): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> {
    return readPage(this.#connection.begin(), tenant, range);
  }

  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    options: ReplaceOptions = {},
  ): Promise<Result<Replaced, StoreError>> {
    const outcomes = ['replaced', 'stale', 'missing', 'too_many'] as const;
    return this.#writer.change(key.id, outcomes, replaceInput(key, previous, next, options));
  }

  append(key: SessionKey, append: HistoryAppend): Promise<Result<AppendOutcome, StoreError>> {
    return this.#writer.append(key, append);
  }

  redact(
    key: SessionKey,
    positions: readonly number[],
    now: number,
  ): Promise<Result<Redacted, StoreError>> {
    return this.#writer.redact(key, positions, now);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Promise<Result<EntriesOutcome, StoreError>> {
    return findEntries(this.#connection.begin(), key, slice);
  }

  remove(
    key: DueKey,
    removal: Removal = {},
  ): Promise<Result<'removed' | 'stale' | 'missing', StoreError>> {
    const outcomes = ['removed', 'stale', 'missing'] as const;
    return this.#writer.change(key.id, outcomes, removeInput(key, removal));
  }

  due(now: number, limit: number): Promise<Result<DueSessions, StoreError>> {
    return readDue(this.#connection.begin(), now, limit);
  }

  claim(range: TakeRange): Promise<Result<TakenRecords, StoreError>> {
    return claimSessions(this.#connection.begin(), range);
  }

  countWaiting(range: WaitingRange): Promise<Result<number, StoreError>> {
    return countWaiting(this.#connection.begin(), range);
  }

  reschedule(
    key: DueKey,
    rescheduling: Rescheduling,
  ): Promise<Result<'moved' | 'stale', StoreError>> {
    const outcomes = ['moved', 'stale'] as const;
    return this.#writer.change(key.id, outcomes, rescheduleInput(key, rescheduling));
  }
}
