import type { Result } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
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
import type { Connection } from './connection.js';
import { findEntries, findSession, findState } from './find-session.js';
import { findMessages } from './message-rows.js';
import { readPage } from './read-page.js';
import { countWaiting, readDue, takeSessions } from './read-queue.js';
import { SessionWriter } from './session-writer.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

/** Commits and reads on one connection: the store's own, or one in a transaction of the host. */
export class SessionCalls implements SessionStore {
  readonly #connection: Connection;
  readonly #writer: SessionWriter;

  constructor(connection: Connection, log: SqliteEventLog) {
    this.#connection = connection;
    this.#writer = new SessionWriter(connection, log);
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
