import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { EventDetail } from '../../src/session/event-detail.js';
import type { Fields } from '../../src/session/fields.js';
import type { EventPage } from '../../src/session/session-event.js';
import { noEvents } from '../../src/store/event-log.js';
import type { EventLog, EventScope, SessionKey } from '../../src/store/session-store.js';
import {
  eventPageOf,
  eventsAfter,
  POSITION,
  parseLogPosition,
  positionIn,
} from '../sql/event-rows.js';
import { escapeName } from '../stored/escape-name.js';
import { type Connection, hasKey } from './connection.js';
import { isClosed } from './host-transactions.js';
import type { SqliteValue } from './sqlite-session-store-options.js';

const POSITIONS = `SELECT ${POSITION} AS position FROM $events ORDER BY number`;
const FIRST = `${POSITIONS} LIMIT 1`;
const LATEST = `${POSITIONS} DESC LIMIT 1`;
const AT = 'SELECT number FROM $events WHERE number = ? AND ms = ?';
const ADD = `
  INSERT INTO $events (number, ms, tenant, id, incarnation, sequence, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const UPDATES = `
  SELECT tenant, id, number, detail
  FROM $events
  WHERE tenant = ? AND id = ? AND incarnation = ? AND detail LIKE '{"type":"updated",%'`;
const REWRITE = 'UPDATE $events SET detail = ? WHERE number = ?';
/** Label names contain no brackets. */
const NAMES = /"labelsChanged":\[[^\]]*\]/;
const TRIM = 'DELETE FROM $events WHERE number <= ?';
/** Maximum number of events that one change removes, to limit its duration. */
const MAX_TRIMMED = 100;

const isInScope = (of: EventScope | undefined) => {
  if (of === undefined) return undefined;
  const tenant = escapeName(of.tenant);
  if (of.sessionId === undefined) return hasKey({ tenant });
  return hasKey({ tenant, id: escapeName(of.sessionId) });
};

/** The single stream of a file, which watchers poll. */
export class SqliteEventLog implements EventLog {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Logs changes of a session within their transaction, and returns the sequence of the last
   * change. `row` contains the incarnation and the sequence before the changes. The file keeps
   * `length` events, and up to 1% more; with 0, it keeps none.
   */
  log(length: number, key: SessionKey, row: Fields, details: readonly EventDetail[]): number {
    let sequence = Number(row['sequence']);
    for (const detail of details) {
      sequence += 1;
      const { incarnation } = row;
      const values = [String(incarnation), sequence, JSON.stringify(detail)];
      if (length > 0) this.#add(length, [escapeName(key.tenant), escapeName(key.id), ...values]);
    }
    return sequence;
  }

  /**
   * Erases label names in the events of a session, within the transaction of its removal. The
   * events stay, because a watch may still have to deliver them.
   */
  erase(key: SessionKey, row: Fields): void {
    const [tenant, id] = [escapeName(key.tenant), escapeName(key.id)];
    const incarnation = String(row['incarnation']);
    const query = { sql: UPDATES, values: [tenant, id, incarnation] };
    const rows = this.#connection.query(query, hasKey({ tenant, id }));
    for (const { number, detail } of rows) {
      const erased = String(detail).replace(NAMES, '"labelsChanged":[]');
      this.#connection.run(REWRITE, erased, Number(number));
    }
  }

  /** `values`: of the columns after `ms`. */
  #add(length: number, values: readonly SqliteValue[]): void {
    const { ms, number } = parseLogPosition(this.#positionOf(LATEST));
    this.#connection.run(ADD, number + 1, Math.max(Date.now(), ms), ...values);
    // Removing several rows together costs less for each.
    const trimEvery = Math.min(MAX_TRIMMED, Math.floor(length / 100) + 1);
    if ((number + 1) % trimEvery === 0) this.#connection.run(TRIM, number + 1 - length);
  }

  streams(): readonly string[] {
    return [this.streamOf()];
  }

  streamOf(): string {
    return '';
  }

  latest(): Result<string, StoreError> {
    return this.#read(() => ok(this.#positionOf(LATEST)));
  }

  now(): Result<number, StoreError> {
    return this.#read(() => ok(Date.now()));
  }

  read(
    _stream: string,
    position: string,
    limit: number,
    of?: EventScope,
  ): Result<EventPage, StoreError> {
    return this.#read(() => {
      const { ms, number } = parseLogPosition(position);
      const rows = this.#connection.query(eventsAfter(position, of, limit), isInScope(of));
      const [first, last] = [this.#positionOf(FIRST), this.#positionOf(LATEST)];
      const isThere = this.#connection.get(AT, number, ms) !== undefined;
      return ok(eventPageOf({ rows, limit, first, last, isThere }, position));
    });
  }

  #positionOf(query: string): string {
    return positionIn(this.#connection.get(query));
  }

  #read<T>(work: () => Result<T, StoreError>): Result<T, StoreError> {
    return this.#connection.read(({ eventsLength }): Result<T, StoreError> => {
      if (eventsLength === 0) return err(noEvents);
      return work();
    });
  }

  isClosed(): boolean {
    return isClosed(this.#connection.database);
  }
}
