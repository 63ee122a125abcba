import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { decideAppend, type KnownAppend } from '../../src/session/decide-append.js';
import type { StoreError } from '../../src/session/errors.js';
import { appendedDetailOf, openingDetailsOf } from '../../src/session/event-detail.js';
import { sameLabels } from '../../src/session/labels.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { dueAtOf, endsAt, usedAt } from '../../src/session/state-at.js';
import type {
  AppendOutcome,
  DueKey,
  HistoryAppend,
  Inserted,
  LiveLimit,
  Opening,
  Redacted,
  Remains,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { finite, infinite } from '../shared/never.js';
import { bytesOf, decodeState, encodeEntry, encodeHead, encodeState, lengthOf } from '../shared/stored-json.js';
import { removedKeyOf, storedKeyOf } from '../sql/due-query.js';
import { historyVersion, unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';
import { liveAt } from './read-page.js';
import { redactRows } from './redact-rows.js';
import type { SqliteEventLog } from './sqlite-event-log.js';
import { type EntryEnd, positionsOf } from './stored-positions.js';
import { writeEntries } from './write-entries.js';

const FIND = `SELECT tenant, id, number, incarnation, status, deadline, due_at, revision, last_activity, sequence,
  redactions, entries, position, bytes, state FROM colloquy_sessions WHERE tenant = ? AND id = ?`;
const INSERT = `INSERT INTO colloquy_sessions
  (tenant, id, created_ms, incarnation, status, deadline, due_at, unleased_since, revision, last_activity, sequence, entries,
    position, bytes, head_bytes, state)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_HEAD = 'INSERT INTO colloquy_heads (session, head) VALUES (?, ?)';
const INSERT_LABEL = `INSERT INTO colloquy_labels (tenant, name, value, created_ms, id, session)
  SELECT tenant, ?, ?, created_ms, id, number FROM colloquy_sessions WHERE number = ?`;
const REMOVE_LABEL = 'DELETE FROM colloquy_labels WHERE session = ? AND name = ? AND value = ?';
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
const COUNT_REDACTION = 'UPDATE colloquy_sessions SET sequence = ?, redactions = redactions + 1 WHERE number = ?';
const APPENDED = `UPDATE colloquy_sessions SET entries = ?, position = ?, bytes = ?, sequence = ?, last_activity = ?
  WHERE number = ?`;

/** The changes of sessions. Each is one transaction with its event. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;

  constructor(connection: Connection, events: SqliteEventLog) {
    this.#connection = connection;
    this.#events = events;
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
      if (this.#find(key) !== undefined) return ok('taken');
      const { source, cap } = opening ?? {};
      const row = source && this.#find({ tenant, id: source.id });
      if (source !== undefined && (row === undefined || historyVersion(row) !== source.version)) {
        return ok('source_changed');
      }
      const entries = texts.length;
      if (this.#isFull(tenant, cap)) return ok('too_many');
      const details = openingDetailsOf(head.createdAt, opening && state, entries === 0 ? undefined : entries);
      const [owner, id, incarnation] = [escapeName(tenant), escapeName(head.id), nanoid(12)];
      const text = encodeHead(head);
      const createdMs = Date.parse(head.createdAt);
      const { status, revision, lastActivityAt } = state;
      // Plus a comma for each entry.
      const bytes = texts.reduce((sum, each) => sum + bytesOf(each) + 1, 0);
      const times = [
        status,
        finite(endsAt(state)),
        finite(dueAtOf(state)),
        unleasedSince(state),
        revision,
        lastActivityAt,
        details.length,
      ];
      const values = [...times, entries, entries, bytes, bytesOf(text)];
      this.#connection.run(INSERT, owner, id, createdMs, incarnation, ...values, encodeState(state, state.labels));
      const number = Number(this.#find(key)?.['number']);
      this.#connection.run(INSERT_HEAD, number, text);
      this.#addLabels(number, Object.entries(state.labels ?? {}));
      writeEntries(this.#connection, number, texts, { number: 0, position: 0, bytes: 0 });
      for (const [at, detail] of details.entries()) {
        this.#events.log(eventsLength, key, { incarnation, sequence: at + 1 }, detail);
      }
      return ok('inserted');
    }, lengthOf(texts));
  }

  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap }: ReplaceOptions,
  ): Promise<Result<Replaced, StoreError>> {
    return this.#connection.write(({ eventsLength }): Result<Replaced, StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok('missing');
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state === undefined) return err(unreadable(key.id, 'state'));
      if (state.revision !== previous.revision) return ok('stale');
      if (this.#isFull(key.tenant, cap)) return ok('too_many');
      const { status, revision } = next;
      const lastActivityAt = Math.max(state.lastActivityAt, next.lastActivityAt);
      const used = { ...next, lastActivityAt };
      const sequence = Number(row['sequence']) + (event === undefined ? 0 : 1);
      const times = [finite(endsAt(used)), finite(dueAtOf(used)), unleasedSince(next)];
      const values = [status, ...times, revision, lastActivityAt, sequence];
      this.#connection.run(REPLACE, ...values, encodeState(next, next.labels), Number(row['number']));
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

  append(key: SessionKey, append: HistoryAppend): Promise<Result<AppendOutcome, StoreError>> {
    const texts = append.entries.map(encodeEntry);
    return this.#connection.write(({ eventsLength }): Result<AppendOutcome, StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok({ outcome: 'missing' });
      const state = decodeState(row['state'], Number(row['last_activity']));
      if (state === undefined) return err(unreadable(key.id, 'state'));
      const known = this.#findOperation(Number(row['number']), append.operation);
      const positions = positionsOf(this.#connection, row);
      const decided = decideAppend({ state, positions, known }, append);
      if (typeof decided !== 'number') return ok(decided);
      const used = usedAt(state, append.now);
      if (endsAt(used) !== endsAt(state)) this.#connection.run(PUT_OFF, finite(endsAt(used)), Number(row['number']));
      const from = {
        number: decided,
        position: positions.end + (append.after === undefined ? 0 : 1),
        bytes: append.after === undefined ? Number(row['bytes']) : positions.bytesUpTo(decided),
      };
      const current = { ...row, last_activity: used.lastActivityAt };
      const end = writeEntries(this.#connection, Number(row['number']), texts, from);
      this.#logAppend(eventsLength, key, current, append, end);
      return ok({ outcome: 'appended', position: end.position });
    }, lengthOf(texts));
  }

  /** Counts an append whose entries end at `end`, and logs it. */
  #logAppend(
    eventsLength: number,
    key: SessionKey,
    row: Fields,
    append: HistoryAppend,
    { number, position, bytes }: EntryEnd,
  ): void {
    const { operation } = append;
    const session = Number(row['number']);
    if (operation !== undefined) {
      this.#connection.run(INSERT_OPERATION, session, operation.id, operation.digest, position);
    }
    const sequence = Number(row['sequence']) + 1;
    this.#connection.run(APPENDED, number, position, bytes, sequence, Number(row['last_activity']), session);
    const change = { incarnation: String(row['incarnation']), sequence };
    this.#events.log(eventsLength, key, change, appendedDetailOf(append, position));
  }

  redact(key: SessionKey, positions: readonly number[], now: number): Promise<Result<Redacted, StoreError>> {
    return this.#connection.write(({ eventsLength }): Result<Redacted, StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok('missing');
      if (positions.some((position) => position > Number(row['position']))) return ok('invalid_position');
      const session = Number(row['number']);
      const isChanged = redactRows(this.#connection, session, positions);
      if (isChanged === undefined) return err(unreadable(key.id, 'history'));
      if (!isChanged) return ok('redacted');
      const sequence = Number(row['sequence']) + 1;
      this.#connection.run(COUNT_REDACTION, sequence, session);
      const change = { incarnation: String(row['incarnation']), sequence };
      this.#events.log(eventsLength, key, change, { type: 'redacted', at: now, positions });
      return ok('redacted');
    });
  }

  remove(
    key: DueKey,
    { revision, now = Date.now(), remains }: Removal,
  ): Promise<Result<'removed' | 'stale' | 'missing', StoreError>> {
    return this.#connection.write(({ eventsLength }): Result<'removed' | 'stale' | 'missing', StoreError> => {
      const row = this.#find(key);
      if (row === undefined) return ok('missing');
      if (revision !== undefined && revision !== Number(row['revision'])) return ok('stale');
      this.#connection.run(REMOVE, Number(row['number']));
      if (key.removal !== undefined) return ok('removed');
      if (remains !== undefined) this.#keep(key, remains);
      const change = { incarnation: String(row['incarnation']), sequence: Number(row['sequence']) + 1 };
      this.#events.log(eventsLength, key, change, { type: 'deleted', at: now });
      return ok('removed');
    });
  }

  /** Keeps what is left of a removed session in a row that only the queue reads. */
  #keep(key: SessionKey, { removal, state }: Remains): void {
    const { tenant, id } = removedKeyOf(key, removal);
    const { status, revision, lastActivityAt } = state;
    const times = [finite(Number.POSITIVE_INFINITY), finite(dueAtOf(state)), 0];
    const values = [0, '', status, ...times, revision, lastActivityAt, 0, 0, 0, 0, 0];
    this.#connection.run(INSERT, tenant, id, ...values, encodeState(state, state.labels));
  }

  #isFull(tenant: string, cap: LiveLimit | undefined): boolean {
    return cap !== undefined && liveAt(this.#connection, tenant, cap.now) >= cap.sessions;
  }

  reschedule(
    key: DueKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Promise<Result<'moved' | 'stale', StoreError>> {
    return this.#connection.write((): Result<'moved' | 'stale', StoreError> => {
      const row = this.#find(key);
      if (row === undefined || infinite(Number(row['due_at'])) !== from) return ok('stale');
      const isFree = row['status'] === 'TERMINATED' || key.removal !== undefined || isDamaged;
      const dueAt = isFree ? to : Math.min(to, infinite(Number(row['deadline'])));
      if (dueAt === from) return ok('stale');
      this.#connection.run(RESCHEDULE, finite(dueAt), Number(row['number']));
      return ok('moved');
    });
  }

  #find(key: DueKey): Fields | undefined {
    return this.#connection.find(FIND, storedKeyOf(key));
  }

  #findOperation(session: number, operation: HistoryAppend['operation']): KnownAppend | undefined {
    const row = operation && this.#connection.find(FIND_OPERATION, { session, operation: operation.id });
    return row && { digest: String(row['digest']), position: Number(row['position']) };
  }
}
