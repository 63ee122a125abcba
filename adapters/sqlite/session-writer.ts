import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import { type ChangeId, openingDetailsOf } from '../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { dueAtOf, endsAt } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import type {
  DueKey,
  Inserted,
  LiveLimit,
  Opening,
  Remains,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { type LabelChange, labelChangeOf } from '../shared/label-change.js';
import { finite, infinite, NEVER } from '../shared/never.js';
import { bytesOf, encodeEntry, encodeHead, encodeState, lengthOf } from '../shared/stored-json.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { bytesOfEntries, historyVersionOf, stateOf, unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';
import { addEntries } from './entry-rows.js';
import { findRow } from './find-row.js';
import { liveAt } from './read-page.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

const INSERT = `
  INSERT INTO $sessions (
    tenant, id, created_ms, incarnation, status, deadline, due_at, wake_at, wanted_at,
    revision, last_activity, sequence, entries, position, bytes, head_bytes, state
  )
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_HEAD = 'INSERT INTO $heads (session, head) VALUES (?, ?)';
const INSERT_LABEL = `
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
  SELECT tenant, ?, ?, created_ms, id, number
  FROM $sessions
  WHERE number = ?`;
const REMOVE_LABEL = 'DELETE FROM $labels WHERE session = ? AND name = ? AND value = ?';
const REPLACE = `
  UPDATE $sessions
  SET status = ?, deadline = ?, due_at = ?, wake_at = ?, wanted_at = ?, revision = ?,
    last_activity = ?, sequence = ?, state = ?
  WHERE number = ?`;
const RESCHEDULE = 'UPDATE $sessions SET due_at = ? WHERE number = ?';
const REMOVE = 'DELETE FROM $sessions WHERE number = ?';

/** The columns `deadline`, `due_at`, `wake_at` and `wanted_at` of a state. */
const timesOf = (state: StateRecord): readonly number[] =>
  [endsAt(state), dueAtOf(state), wakeAtOf(state), state.work.wakeAt ?? NEVER].map(finite);

/** The changes of sessions but for their histories. Each is one transaction with its event. */
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
    return this.#connection.write(
      tenant,
      ({ eventsLength }): Result<Inserted, StoreError> => {
        const refusal = this.#refusalOf(key, opening);
        if (refusal !== undefined) return ok(refusal);
        const incarnation = nanoid(12);
        const entries = texts.length || undefined;
        const details = openingDetailsOf(head.createdAt, opening && state, entries);
        const change = { incarnation, sequence: details.length };
        const number = this.#addRow(key, state, change, head, texts);
        this.#moveLabels(number, labelChangeOf({}, state));
        addEntries(this.#connection, number, 0, texts);
        this.#events.log(eventsLength, key, { incarnation, sequence: 0 }, details);
        return ok('inserted');
      },
      lengthOf(texts),
    );
  }

  /** Why a session cannot be inserted, if it cannot. */
  #refusalOf(key: SessionKey, { source, cap }: Partial<Opening> = {}): Inserted | undefined {
    if (findRow(this.#connection, key) !== undefined) return 'taken';
    if (source !== undefined) {
      const row = findRow(this.#connection, { tenant: key.tenant, id: source.id });
      if (row === undefined || historyVersionOf(row) !== source.version) return 'source_changed';
    }
    if (this.#hasReachedLimit(key.tenant, cap)) return 'too_many';
    return undefined;
  }

  #hasReachedLimit(tenant: string, cap: LiveLimit | undefined): boolean {
    return cap !== undefined && liveAt(this.#connection, tenant, cap.now) >= cap.sessions;
  }

  /**
   * Adds the row of a session with these entries, or of what is left of a removed one. Returns its
   * number.
   */
  #addRow(
    key: DueKey,
    state: StateRecord,
    { incarnation, sequence }: ChangeId,
    head: SessionHead | undefined,
    texts: readonly string[],
  ): number {
    const { tenant, id } = storedKeyOf(key);
    const createdMs = head === undefined ? 0 : Date.parse(head.createdAt);
    const text = head === undefined ? '' : encodeHead(head);
    const { status, revision, lastActivityAt } = state;
    this.#connection.run(
      INSERT,
      ...[tenant, id, createdMs, incarnation],
      ...[status, ...timesOf(state), revision, lastActivityAt, sequence],
      ...[texts.length, texts.length, bytesOfEntries(texts), bytesOf(text)],
      encodeState(state, state.labels),
    );
    const number = Number(findRow(this.#connection, key)?.['number']);
    this.#connection.run(INSERT_HEAD, number, text);
    return number;
  }

  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap, unusedSince = NEVER }: ReplaceOptions,
  ): Promise<Result<Replaced, StoreError>> {
    return this.#connection.write(key.tenant, ({ eventsLength }): Result<Replaced, StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined) return ok('missing');
      const state = stateOf(row);
      if (state === undefined) return err(unreadable(key.id, 'state'));
      if (state.revision !== previous.revision) return ok('stale');
      if (state.lastActivityAt > unusedSince) return ok('stale');
      if (this.#hasReachedLimit(key.tenant, cap)) return ok('too_many');
      const { status, revision } = next;
      const lastActivityAt = Math.max(state.lastActivityAt, next.lastActivityAt);
      const used = { ...next, lastActivityAt };
      const sequence = this.#events.log(eventsLength, key, row, [event]);
      const values = [status, ...timesOf(used), revision, lastActivityAt, sequence];
      this.#connection.run(
        REPLACE,
        ...values,
        encodeState(next, next.labels),
        Number(row['number']),
      );
      this.#moveLabels(Number(row['number']), labelChangeOf(previous, next));
      return ok('replaced');
    });
  }

  #moveLabels(number: number, { added, lost }: LabelChange): void {
    for (const [name, value] of lost) {
      this.#connection.run(REMOVE_LABEL, number, escapeName(name), escapeName(value));
    }
    for (const [name, value] of added) {
      this.#connection.run(INSERT_LABEL, escapeName(name), escapeName(value), number);
    }
  }

  remove(
    key: DueKey,
    { revision, unusedSince = NEVER, now = Date.now(), remains }: Removal,
  ): Promise<Result<'removed' | 'stale' | 'missing', StoreError>> {
    return this.#connection.write(
      key.tenant,
      ({ eventsLength }): Result<'removed' | 'stale' | 'missing', StoreError> => {
        const row = findRow(this.#connection, key);
        if (row === undefined) return ok('missing');
        if (revision !== undefined && revision !== Number(row['revision'])) return ok('stale');
        if (Number(row['last_activity']) > unusedSince) return ok('stale');
        this.#connection.run(REMOVE, Number(row['number']));
        if (key.removal !== undefined) return ok('removed');
        if (remains !== undefined) this.#insertRemains(key, remains);
        this.#events.erase(key, row);
        this.#events.log(eventsLength, key, row, [{ type: 'deleted', at: now }]);
        return ok('removed');
      },
    );
  }

  /** Keeps what is left of a removed session in a row that only the queue reads. */
  #insertRemains(key: SessionKey, { removal, state }: Remains): void {
    this.#addRow({ ...key, removal }, state, { incarnation: '', sequence: 0 }, undefined, []);
  }

  reschedule(
    key: DueKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Promise<Result<'moved' | 'stale', StoreError>> {
    return this.#connection.write(key.tenant, (): Result<'moved' | 'stale', StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined || infinite(Number(row['due_at'])) !== from) return ok('stale');
      const isFree = row['status'] === 'TERMINATED' || key.removal !== undefined || isDamaged;
      const dueAt = isFree ? to : Math.min(to, infinite(Number(row['deadline'])));
      if (dueAt === from) return ok('stale');
      this.#connection.run(RESCHEDULE, finite(dueAt), Number(row['number']));
      return ok('moved');
    });
  }
}
