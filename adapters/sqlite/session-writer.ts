import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import { type ChangeId, openingDetailsOf } from '../../src/session/event-detail.js';
import { sameLabels } from '../../src/session/labels.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { endsAt, owesEnd } from '../../src/session/state-at.js';
import type {
  Inserted,
  Opening,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { finite, infinite } from '../shared/never.js';
import { bytesOf, decodeState, encodeEntry, encodeHead, encodeState, lengthOf } from '../shared/stored-json.js';
import { bytesOfEntries, historyVersion, unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';
import { EntryRows } from './entry-rows.js';
import { findRow } from './find-row.js';
import { activeAt } from './read-page.js';
import type { SqliteEndQueue } from './sqlite-end-queue.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

const INSERT = `
  INSERT INTO colloquy_sessions (
    tenant, id, created_ms, incarnation, status, deadline, due_at, unleased_since, revision,
    last_activity, sequence, entries, position, bytes, head_bytes, state
  )
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_HEAD = 'INSERT INTO colloquy_heads (session, head) VALUES (?, ?)';
const INSERT_LABEL = `
  INSERT INTO colloquy_labels (tenant, name, value, created_ms, id, session)
  SELECT tenant, ?, ?, created_ms, id, number
  FROM colloquy_sessions
  WHERE number = ?`;
const REMOVE_LABEL = 'DELETE FROM colloquy_labels WHERE session = ? AND name = ? AND value = ?';
const REPLACE = `
  UPDATE colloquy_sessions
  SET status = ?, deadline = ?, due_at = ?, unleased_since = ?, revision = ?, last_activity = ?,
    sequence = ?, state = ?
  WHERE number = ?`;
const RESCHEDULE = 'UPDATE colloquy_sessions SET due_at = ? WHERE number = ?';
const REMOVE = 'DELETE FROM colloquy_sessions WHERE number = ?';

/** The changes of sessions but for their histories. Each is one transaction with its event. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;
  readonly #ends: SqliteEndQueue;
  readonly #entries: EntryRows;

  constructor(connection: Connection, events: SqliteEventLog, ends: SqliteEndQueue) {
    this.#connection = connection;
    this.#events = events;
    this.#ends = ends;
    this.#entries = new EntryRows(connection);
  }

  insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening?: Opening,
  ): Promise<Result<Inserted, StoreError>> {
    const key = { tenant, id: head.id };
    const texts = opening?.entries.map(encodeEntry) ?? [];
    return this.#connection.write(({ eventsLength }): Result<Inserted, StoreError> => {
      const refusal = this.#refusalOf(key, opening);
      if (refusal !== undefined) return ok(refusal);
      const incarnation = nanoid(12);
      const entries = texts.length === 0 ? undefined : texts.length;
      const details = openingDetailsOf(head.createdAt, opening && state, entries);
      const number = this.#addRow(key, head, state, { incarnation, sequence: details.length }, texts);
      this.#addLabels(number, Object.entries(state.labels ?? {}));
      this.#entries.add(number, 0, texts);
      for (const [at, detail] of details.entries()) {
        this.#events.log(eventsLength, key, { incarnation, sequence: at + 1 }, detail);
      }
      return ok('inserted');
    }, lengthOf(texts));
  }

  /** Why a session cannot be inserted, if it cannot. */
  #refusalOf(key: SessionKey, { source, active }: Partial<Opening> = {}): Inserted | undefined {
    if (findRow(this.#connection, key) !== undefined) return 'taken';
    if (source !== undefined) {
      const row = findRow(this.#connection, { tenant: key.tenant, id: source.id });
      if (row === undefined || historyVersion(row) !== source.version) return 'source_changed';
    }
    if (active === undefined) return undefined;
    const isFull = activeAt(this.#connection, key.tenant, active.now) >= active.sessions;
    return isFull ? 'too_many' : undefined;
  }

  /** Adds the row and the head of a session with these entries. Returns its number. */
  #addRow(
    key: SessionKey,
    head: SessionHead,
    state: StateRecord,
    { incarnation, sequence }: ChangeId,
    texts: readonly string[],
  ): number {
    const text = encodeHead(head);
    const until = finite(endsAt(state));
    const { status, revision, lastActivityAt } = state;
    this.#connection.run(
      INSERT,
      ...[escapeName(key.tenant), escapeName(key.id), Date.parse(head.createdAt), incarnation],
      ...[status, until, until, unleasedSince(state), revision, lastActivityAt, sequence],
      ...[texts.length, texts.length, bytesOfEntries(texts), bytesOf(text)],
      encodeState(state, state.labels),
    );
    const number = Number(findRow(this.#connection, key)?.['number']);
    this.#connection.run(INSERT_HEAD, number, text);
    return number;
  }

  replace(
    key: SessionKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap }: ReplaceOptions,
  ): Promise<Result<Replaced, StoreError>> {
    return this.#connection.write(({ eventsLength }): Result<Replaced, StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined) return ok('missing');
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state === undefined) return err(unreadable(key.id, 'state'));
      if (state.revision !== previous.revision) return ok('stale');
      const isFull = cap !== undefined && activeAt(this.#connection, key.tenant, cap.now) >= cap.sessions;
      if (isFull) return ok('too_many');
      const { status, revision } = next;
      const lastActivityAt = Math.max(state.lastActivityAt, next.lastActivityAt);
      const deadline = endsAt({ ...next, lastActivityAt });
      const sequence = Number(row['sequence']) + (event === undefined ? 0 : 1);
      const isEnd = status === 'TERMINATED' && owesEnd(state);
      const waits = isEnd || (state.status === 'TERMINATED' && this.#ends.has(row));
      const dueAt = waits ? Number.POSITIVE_INFINITY : deadline;
      const values = [status, finite(deadline), finite(dueAt), unleasedSince(next), revision, lastActivityAt, sequence];
      this.#connection.run(REPLACE, ...values, encodeState(next, next.labels), Number(row['number']));
      if (isEnd) this.#ends.add(row, next.since);
      if (!sameLabels(state.labels, next.labels)) this.#moveLabels(Number(row['number']), state.labels, next.labels);
      const change = { incarnation: String(row['incarnation']), sequence };
      if (event !== undefined) this.#events.log(eventsLength, key, change, event);
      return ok('replaced');
    });
  }

  /** Writes only the labels that differ, because each write also updates a total. */
  #moveLabels(number: number, before: SessionLabels = {}, after: SessionLabels = {}): void {
    for (const [name, value] of Object.entries(before)) {
      if (after[name] !== value) this.#connection.run(REMOVE_LABEL, number, escapeName(name), escapeName(value));
    }
    this.#addLabels(
      number,
      Object.entries(after).filter(([name, value]) => before[name] !== value),
    );
  }

  #addLabels(number: number, labels: readonly (readonly [string, string])[]): void {
    for (const [name, value] of labels) {
      this.#connection.run(INSERT_LABEL, escapeName(name), escapeName(value), number);
    }
  }

  remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal,
  ): Promise<Result<'removed' | 'stale' | 'missing', StoreError>> {
    return this.#connection.write(({ eventsLength }): Result<'removed' | 'stale' | 'missing', StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined) return ok('missing');
      if (revision !== undefined && revision !== Number(row['revision'])) return ok('stale');
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state !== undefined && owesEnd(state)) this.#ends.add(row, now);
      this.#ends.keep(row, now);
      this.#connection.run(REMOVE, Number(row['number']));
      const change = { incarnation: String(row['incarnation']), sequence: Number(row['sequence']) + 1 };
      this.#events.log(eventsLength, key, change, { type: 'deleted', at: now });
      return ok('removed');
    });
  }

  reschedule(
    key: SessionKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Promise<Result<'moved' | 'stale', StoreError>> {
    return this.#connection.write((): Result<'moved' | 'stale', StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined || infinite(Number(row['due_at'])) !== from) return ok('stale');
      const isFree = row['status'] === 'TERMINATED' || isDamaged;
      const dueAt = isFree ? to : Math.min(to, infinite(Number(row['deadline'])));
      if (dueAt === from) return ok('stale');
      this.#connection.run(RESCHEDULE, finite(dueAt), Number(row['number']));
      return ok('moved');
    });
  }
}
