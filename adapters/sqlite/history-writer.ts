import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { decideAppend, type KnownAppend } from '../../src/session/decide-append.js';
import type { StoreError } from '../../src/session/errors.js';
import {
  appendedDetailOf,
  type EventDetail,
  wokenDetailOf,
} from '../../src/session/event-detail.js';
import { wokenState } from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { endsAt, usedAt } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import type {
  AppendOutcome,
  HistoryAppend,
  Redacted,
  SessionKey,
} from '../../src/store/session-store.js';
import { finite, NEVER } from '../shared/never.js';
import { encodeEntry, lengthOf } from '../shared/stored-json.js';
import { bytesOfEntries, stateOf, unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';
import {
  addEntries,
  deleteAfter,
  type HistoryTail,
  redactEntries,
  tailAfter,
} from './entry-rows.js';
import { findRow } from './find-row.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

const FIND_OPERATION = `
  SELECT session, operation, digest, position
  FROM $operations
  WHERE session = ? AND operation = ?`;
const INSERT_OPERATION = `
  INSERT INTO $operations (session, operation, digest, position)
  VALUES (?, ?, ?, ?)`;
const COUNT_REDACTION = `
  UPDATE $sessions
  SET sequence = ?, redactions = redactions + 1
  WHERE number = ?`;
const PUT_OFF = 'UPDATE $sessions SET deadline = ? WHERE number = ?';
const APPENDED = `
  UPDATE $sessions
  SET entries = ?, position = ?, bytes = ?, sequence = ?, last_activity = ?
  WHERE number = ?`;
const WOKEN = `
  UPDATE $sessions
  SET revision = ?, wanted_at = ?, wake_at = ?
  WHERE number = ?`;

/** What an append at the end supersedes. */
const NONE: HistoryTail = { entries: 0, bytes: 0, hasEntry: true };

/** The changes of histories. Each is one transaction with its event. */
export class HistoryWriter {
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;

  constructor(connection: Connection, events: SqliteEventLog) {
    this.#connection = connection;
    this.#events = events;
  }

  append(key: SessionKey, append: HistoryAppend): Promise<Result<AppendOutcome, StoreError>> {
    const { after, now } = append;
    const texts = append.entries.map(encodeEntry);
    return this.#connection.write(
      key.tenant,
      ({ eventsLength }): Result<AppendOutcome, StoreError> => {
        const row = findRow(this.#connection, key);
        if (row === undefined) return ok({ outcome: 'missing' });
        const state = stateOf(row);
        if (state === undefined) return err(unreadable(key.id, 'state'));
        const session = Number(row['number']);
        const superseded = after === undefined ? NONE : tailAfter(this.#connection, session, after);
        const decided = this.#decide(row, state, append, superseded);
        if (typeof decided !== 'number') return ok(decided);
        const from = this.#rewind(row, after);
        const position = from + texts.length;
        addEntries(this.#connection, session, from, texts);
        this.#keepOperation(session, append, position);
        const used = usedAt(state, now);
        if (endsAt(used) !== endsAt(state))
          this.#connection.run(PUT_OFF, finite(endsAt(used)), session);
        const bytes = Number(row['bytes']) - superseded.bytes + bytesOfEntries(texts);
        const details = [
          appendedDetailOf(append, { start: Number(row['position']), position }),
          ...this.#wake(session, used, append),
        ];
        const sequence = this.#events.log(eventsLength, key, row, details);
        const entries = decided + texts.length;
        const values = [entries, position, bytes, sequence, used.lastActivityAt, session];
        this.#connection.run(APPENDED, ...values);
        return ok({ outcome: 'appended', position });
      },
      lengthOf(texts),
    );
  }

  /**
   * Number of entries to keep, or the outcome if nothing must be written. An append continues the
   * beginning of a history, its end, an entry, or the rewind directly before an entry. Every other
   * position is superseded.
   */
  #decide(
    row: Fields,
    state: StateRecord,
    append: HistoryAppend,
    superseded: HistoryTail,
  ): AppendOutcome | number {
    const { after, operation } = append;
    const session = Number(row['number']);
    const end = Number(row['position']);
    const known = operation && this.#findOperation(session, operation.id);
    const isCurrent = superseded.hasEntry || after === 0 || after === end;
    const kept = isCurrent ? Number(row['entries']) - superseded.entries : undefined;
    return decideAppend({ state, known, end, kept }, append);
  }

  /**
   * Deletes what a rewind supersedes. Returns the position before the new entries: a rewind takes
   * one of its own.
   */
  #rewind(row: Fields, after: number | undefined): number {
    const end = Number(row['position']);
    if (after === undefined) return end;
    deleteAfter(this.#connection, Number(row['number']), after);
    return end + 1;
  }

  /**
   * Makes the session wait for a worker if the append wakes. Returns the details of that change.
   */
  #wake(session: number, state: StateRecord, { wake, now }: HistoryAppend): readonly EventDetail[] {
    if (wake === undefined) return [];
    const woken = wokenState(state, wake.revision, now);
    if (woken === state) return [];
    const { revision, work } = woken;
    this.#connection.run(WOKEN, revision, work.wakeAt ?? NEVER, finite(wakeAtOf(woken)), session);
    return [wokenDetailOf(now)];
  }

  #findOperation(session: number, operation: string): KnownAppend | undefined {
    const row = this.#connection.find(FIND_OPERATION, { session, operation });
    return row && { digest: String(row['digest']), position: Number(row['position']) };
  }

  #keepOperation(session: number, { operation }: HistoryAppend, position: number): void {
    if (operation === undefined) return;
    this.#connection.run(INSERT_OPERATION, session, operation.id, operation.digest, position);
  }

  redact(
    key: SessionKey,
    positions: readonly number[],
    now: number,
  ): Promise<Result<Redacted, StoreError>> {
    return this.#connection.write(key.tenant, ({ eventsLength }): Result<Redacted, StoreError> => {
      const row = findRow(this.#connection, key);
      if (row === undefined) return ok('missing');
      if (positions.some((position) => position > Number(row['position'])))
        return ok('invalid_position');
      const session = Number(row['number']);
      const isChanged = redactEntries(this.#connection, session, positions);
      if (isChanged === undefined) return err(unreadable(key.id, 'history'));
      if (!isChanged) return ok('redacted');
      const detail = { type: 'redacted', at: now, positions } as const;
      const sequence = this.#events.log(eventsLength, key, row, [detail]);
      this.#connection.run(COUNT_REDACTION, sequence, session);
      return ok('redacted');
    });
  }
}
