import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import { changeDetailOf } from '../../src/events/event-detail.js';
import type { Fields } from '../../src/input/values.js';
import { decideAppend, type KnownAppend } from '../../src/session/decide-append.js';
import { unleasedSince } from '../../src/session/lease.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { endsAt, owesEnd } from '../../src/session/timeline.js';
import { escapeName } from '../../src/store/escape-name.js';
import { finite, infinite } from '../../src/store/never.js';
import type {
  ActiveLimit,
  AppendOutcome,
  HistoryAppend,
  Removal,
  Replaced,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { bytesOf, decodeState, encodeEntry, encodeHead, encodeState } from '../../src/store/stored-json.js';
import { unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';
import { activeAt } from './read-page.js';
import type { SqliteEndQueue } from './sqlite-end-queue.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

const FIND = `SELECT tenant, id, number, birth, status, deadline, due_at, revision, last_activity, sequence, entries, bytes,
  state FROM colloquy_sessions WHERE tenant = ? AND id = ?`;
const INSERT = `INSERT INTO colloquy_sessions
  (tenant, id, created_ms, birth, status, deadline, due_at, unleased_since, revision, last_activity, sequence, entries, bytes,
    head_bytes, state)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, ?, ?)`;
const INSERT_HEAD = 'INSERT INTO colloquy_heads (session, head) VALUES (?, ?)';
const INSERT_LABEL = `INSERT INTO colloquy_labels (tenant, name, value, created_ms, id, session)
  VALUES (?, ?, ?, ?, ?, ?)`;
const REPLACE = `UPDATE colloquy_sessions
  SET status = ?, deadline = ?, due_at = ?, unleased_since = ?, revision = ?, last_activity = ?, sequence = ?, state = ?
  WHERE number = ?`;
const PUT_OFF = 'UPDATE colloquy_sessions SET deadline = ? WHERE number = ?';
const RESCHEDULE = 'UPDATE colloquy_sessions SET due_at = ? WHERE number = ?';
const REMOVE = 'DELETE FROM colloquy_sessions WHERE number = ?';
const FIND_OPERATION = `SELECT session, operation, digest, position FROM colloquy_operations
  WHERE session = ? AND operation = ?`;
const INSERT_OPERATION = `INSERT INTO colloquy_operations (session, operation, digest, position)
  VALUES (?, ?, ?, ?)`;
const INSERT_ENTRY = 'INSERT INTO colloquy_entries (session, position, bytes, entry) VALUES (?, ?, ?, ?)';
const APPENDED =
  'UPDATE colloquy_sessions SET entries = ?, bytes = ?, sequence = ?, last_activity = ? WHERE number = ?';

/** The changes of sessions. Each is one transaction with its event. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;
  readonly #ends: SqliteEndQueue;

  constructor(connection: Connection, events: SqliteEventLog, ends: SqliteEndQueue) {
    this.#connection = connection;
    this.#events = events;
    this.#ends = ends;
  }

  insert(tenant: string, head: SessionHead, state: StateRecord): Result<'inserted' | 'taken', StoreError> {
    const key = { tenant, id: head.id };
    return this.#connection.write(({ eventsLength }): Result<'inserted' | 'taken', StoreError> => {
      if (this.#find(key) !== undefined) return ok('taken');
      const [owner, id, text, birth] = [escapeName(tenant), escapeName(head.id), encodeHead(head), nanoid(12)];
      const createdMs = Date.parse(head.createdAt);
      const until = finite(endsAt(state));
      const { status, revision, lastActivityAt } = state;
      const values = [status, until, until, unleasedSince(state), revision, lastActivityAt, bytesOf(text)];
      this.#connection.run(INSERT, owner, id, createdMs, birth, ...values, encodeState(state));
      const number = Number(this.#find(key)?.['number']);
      this.#connection.run(INSERT_HEAD, number, text);
      for (const [name, value] of Object.entries(head.labels ?? {})) {
        this.#connection.run(INSERT_LABEL, owner, escapeName(name), escapeName(value), createdMs, id, number);
      }
      this.#events.log(eventsLength, key, { birth, sequence: 1 }, { type: 'created', at: createdMs });
      return ok('inserted');
    });
  }

  replace(key: SessionKey, next: StateRecord, active?: ActiveLimit): Result<Replaced, StoreError> {
    return this.#connection.write(({ eventsLength }): Result<Replaced, StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok('missing');
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state === undefined) return err(unreadable(key.id, 'state'));
      if (state.revision !== next.revision - 1) return ok('stale');
      if (active !== undefined && activeAt(this.#connection, key.tenant, active.now) >= active.sessions) {
        return ok('too_many');
      }
      const { status, revision } = next;
      const lastActivityAt = Math.max(state.lastActivityAt, next.lastActivityAt);
      const deadline = endsAt({ ...next, lastActivityAt });
      const detail = changeDetailOf(state, next);
      const sequence = Number(row['sequence']) + (detail === undefined ? 0 : 1);
      const isEnd = status === 'TERMINATED' && owesEnd(state);
      const waits = isEnd || (state.status === 'TERMINATED' && this.#ends.has(row));
      const dueAt = waits ? Number.POSITIVE_INFINITY : deadline;
      const values = [status, finite(deadline), finite(dueAt), unleasedSince(next), revision, lastActivityAt, sequence];
      this.#connection.run(REPLACE, ...values, encodeState(next), Number(row['number']));
      if (isEnd) this.#ends.add(row, next.since);
      const change = { birth: String(row['birth']), sequence };
      if (detail !== undefined) this.#events.log(eventsLength, key, change, detail);
      return ok('replaced');
    });
  }

  append(key: SessionKey, append: HistoryAppend): Result<AppendOutcome, StoreError> {
    return this.#connection.write(({ eventsLength }): Result<AppendOutcome, StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok({ outcome: 'missing' });
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state === undefined) return err(unreadable(key.id, 'state'));
      const known = this.#findOperation(Number(row['number']), append.operation);
      const decided = decideAppend({ state, entries: Number(row['entries']), known }, append);
      if (decided !== undefined) return ok(decided);
      const used = { ...state, lastActivityAt: Math.max(state.lastActivityAt, append.now) };
      if (endsAt(used) !== endsAt(state)) this.#connection.run(PUT_OFF, finite(endsAt(used)), Number(row['number']));
      return ok({ outcome: 'appended', position: this.#addEntries(eventsLength, key, row, append) });
    });
  }

  /** Returns the position behind the entries. */
  #addEntries(eventsLength: number, key: SessionKey, row: Fields, { entries, now, operation }: HistoryAppend): number {
    const number = Number(row['number']);
    let position = Number(row['entries']);
    let bytes = Number(row['bytes']);
    for (const entry of entries) {
      const text = encodeEntry(entry);
      position += 1;
      // And a comma.
      bytes += bytesOf(text) + 1;
      this.#connection.run(INSERT_ENTRY, number, position, bytes, text);
    }
    if (operation !== undefined) {
      this.#connection.run(INSERT_OPERATION, number, operation.id, operation.digest, position);
    }
    const sequence = Number(row['sequence']) + 1;
    this.#connection.run(APPENDED, position, bytes, sequence, Math.max(Number(row['last_activity']), now), number);
    this.#events.log(
      eventsLength,
      key,
      { birth: String(row['birth']), sequence },
      { type: 'appended', at: now, position },
    );
    return position;
  }

  remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal,
  ): Result<'removed' | 'stale' | 'missing', StoreError> {
    return this.#connection.write(({ eventsLength }): Result<'removed' | 'stale' | 'missing', StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok('missing');
      if (revision !== undefined && revision !== Number(row['revision'])) return ok('stale');
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state !== undefined && owesEnd(state)) this.#ends.add(row, now);
      this.#ends.keep(row, now);
      this.#connection.run(REMOVE, Number(row['number']));
      const change = { birth: String(row['birth']), sequence: Number(row['sequence']) + 1 };
      this.#events.log(eventsLength, key, change, { type: 'deleted', at: now });
      return ok('removed');
    });
  }

  reschedule(key: SessionKey, { from, to, isDamaged = false }: Rescheduling): Result<'moved' | 'stale', StoreError> {
    return this.#connection.write((): Result<'moved' | 'stale', StoreError> => {
      const row = this.#find(key);
      if (row === undefined || infinite(Number(row['due_at'])) !== from) return ok('stale');
      const isFree = row['status'] === 'TERMINATED' || isDamaged;
      const dueAt = isFree ? to : Math.min(to, infinite(Number(row['deadline'])));
      if (dueAt === from) return ok('stale');
      this.#connection.run(RESCHEDULE, finite(dueAt), Number(row['number']));
      return ok('moved');
    });
  }

  #find({ tenant, id }: SessionKey): Fields | undefined {
    return this.#connection.find(FIND, { tenant: escapeName(tenant), id: escapeName(id) });
  }

  #findOperation(session: number, operation: HistoryAppend['operation']): KnownAppend | undefined {
    const row = operation && this.#connection.find(FIND_OPERATION, { session, operation: operation.id });
    return row && { digest: String(row['digest']), position: Number(row['position']) };
  }
}
