import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../../src/errors.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  Admit,
  AppendOutcome,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  Removal,
  Rescheduling,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { Connection } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { HistoryWriter } from './history-writer.js';
import { Keyspace } from './keyspace.js';
import { partOf, readDue } from './read-due.js';
import { readEntries } from './read-entries.js';
import { readPage } from './read-page.js';
import { findSession } from './read-sessions.js';
import { decodeState } from './record-text.js';
import { insertRecord, replaceRecord } from './record-writer.js';
import { RedisEventLog } from './redis-event-log.js';
import { type RedisSessionStoreOptions, readStoreOptions } from './redis-session-store-options.js';
import { purge, removeSession } from './remove-session.js';
import { Repair, type RepairReport } from './repair.js';
import { noteScript, reschedule } from './session-index.js';

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. Two strings hold a session: a
 * record that is replaced if it has the expected revision (`record-text.ts`), and an append-only journal
 * (`journal-text.ts`).
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #events: RedisEventLog;
  readonly #historyWriter: HistoryWriter;
  readonly events: RedisEventLog | undefined;

  /** Throws a `TypeError` that names every option that breaks a rule or is unknown. */
  constructor(options: RedisSessionStoreOptions) {
    const { client, prefix, partitions, timeoutMs, statusIndex, eventsLength, eventsClient } =
      readStoreOptions(options);
    this.#connection = new Connection(client, timeoutMs);
    this.#keys = new Keyspace(prefix, partitions, statusIndex);
    this.#events = new RedisEventLog(this.#connection, this.#keys, eventsLength, eventsClient);
    this.events = eventsLength === undefined ? undefined : this.#events;
    this.#historyWriter = new HistoryWriter(this.#events);
  }

  insert(tenant: string, head: SessionHead, state: StateRecord): Answer<'inserted' | 'taken'> {
    return insertRecord(this.#connection.begin(), this.#keys.of({ tenant, id: head.id }), this.#events, head, state);
  }

  find<E = never>(
    key: SessionKey,
    size: ReadSize = {},
    admit?: Admit<E>,
  ): Promise<Result<SessionRecord | undefined, StoreError | E>> {
    return findSession(this.#connection.begin(), this.#keys.of(key), size, admit);
  }

  async findState(key: SessionKey): Answer<StateRecord | undefined> {
    const { record } = this.#keys.of(key);
    const text = await this.#connection.begin().readCommand((client) => client.get(record));
    if (text.isErr()) return err(toStoreError(key)(text.error));
    const decoded = text.value === null ? 'removed' : decodeState(text.value);
    if (decoded === undefined) return err(unreadable(key));
    return ok(decoded === 'removed' ? undefined : decoded.state);
  }

  list<E = never>(tenant: string, range: PageRange, admit?: Admit<E>): Promise<Result<RecordPage, StoreError | E>> {
    return readPage(this.#connection.begin(), this.#keys.tenant(tenant), range, admit);
  }

  replace(key: SessionKey, next: StateRecord): Answer<'replaced' | 'stale' | 'missing'> {
    return replaceRecord(this.#connection.begin(), this.#keys.of(key), this.#events, next);
  }

  append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome> {
    return this.#historyWriter.append(this.#connection.begin(), this.#keys.of(key), append);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome> {
    return readEntries(this.#connection.begin(), this.#keys.of(key), slice);
  }

  remove(key: SessionKey, removal: Removal = {}): Answer<'removed' | 'stale' | 'missing'> {
    const session = this.#keys.of(key);
    this.#historyWriter.forget(session);
    return removeSession(this.#connection.begin(), session, this.#events, removal);
  }

  due(now: number, limit: number, after?: string): Answer<DueSessions> {
    return readDue(this.#connection.begin(), this.#keys, now, limit, after);
  }

  async reschedule(key: SessionKey, rescheduling: Rescheduling): Answer<'moved' | 'stale'> {
    const session = this.#keys.of(key);
    const call = this.#connection.begin();
    const { tenants, owner } = session;
    if (rescheduling.to < rescheduling.from)
      void call.writeScript(noteScript, [tenants], [owner, String(rescheduling.to)]);
    const moved = await reschedule(call, session, rescheduling);
    return moved.map((count) => (count === 1 ? 'moved' : 'stale')).mapErr(toStoreError(key));
  }

  purge(now: number, limit: number, after?: string): Answer<number> {
    const { part } = partOf(this.#keys, after);
    return purge(this.#connection.begin(), this.#keys, part, now, limit);
  }

  /**
   * Checks all keys of this store, and corrects index entries that a person, another program or a restored backup has
   * left wrong. It scans: call it now and then, or after such an event, never in a request. The duration of each step
   * is limited; the total grows with the number of sessions.
   */
  repair(): ResultAsync<RepairReport, StoreUnavailable> {
    return new ResultAsync(new Repair(this.#connection, this.#keys).run());
  }
}
