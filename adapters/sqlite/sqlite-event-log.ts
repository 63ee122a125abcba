import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { ChangeId, EventDetail } from '../../src/events/event-detail.js';
import type { EventPage } from '../../src/events/session-event.js';
import { escapeName } from '../../src/store/escape-name.js';
import type { EventLog, EventScope, SessionKey } from '../../src/store/session-store.js';
import { eventPageOf, positionOfRow, readPlace, scopeOf } from '../sql/event-rows.js';
import { type Connection, hasKey } from './connection.js';

const FIRST = 'SELECT ms, number FROM colloquy_events ORDER BY number LIMIT 1';
const LATEST = 'SELECT ms, number FROM colloquy_events ORDER BY number DESC LIMIT 1';
const AT = 'SELECT number FROM colloquy_events WHERE number = ? AND ms = ?';
const ADD = `INSERT INTO colloquy_events (number, ms, tenant, id, birth, sequence, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const TRIM = 'DELETE FROM colloquy_events WHERE number <= ?';
/** Maximum number of events that a change removes, so that it does not take long. */
const MAX_TRIMMED = 100;

const READ = 'SELECT number, ms, tenant, id, birth, sequence, detail FROM colloquy_events WHERE';
const BEHIND = 'ms >= ? AND (ms > ? OR number > ?) ORDER BY ms, number LIMIT ?';

const isInScope = (of: EventScope | undefined) => {
  if (of === undefined) return undefined;
  const tenant = escapeName(of.tenant);
  return hasKey(of.sessionId === undefined ? { tenant } : { tenant, id: escapeName(of.sessionId) });
};

/** The one stream of a file. Each event is written in the transaction of its change. Watchers poll it. */
export class SqliteEventLog implements EventLog {
  readonly #connection: Connection;
  /** Number of events that the file keeps, and up to one in a hundred more; if undefined, no events are written. */
  readonly #length: number | undefined;
  /** Number of events from one trim to the next: a row costs less if others go with it. */
  readonly #trimEvery: number;

  constructor(connection: Connection, length: number | undefined) {
    this.#connection = connection;
    this.#length = length;
    this.#trimEvery = Math.min(MAX_TRIMMED, Math.floor((length ?? 0) / 100) + 1);
  }

  /** Logs a change, within the transaction that makes it. */
  log({ tenant, id }: SessionKey, { birth, sequence }: ChangeId, detail: EventDetail): void {
    if (this.#length === undefined) return;
    const { ms, number } = readPlace(positionOfRow(this.#connection.get(LATEST)));
    const values = [escapeName(tenant), escapeName(id), birth, sequence, JSON.stringify(detail)];
    this.#connection.run(ADD, number + 1, Math.max(Date.now(), ms), ...values);
    if ((number + 1) % this.#trimEvery === 0) this.#connection.run(TRIM, number + 1 - this.#length);
  }

  streamOf(): string {
    return '';
  }

  latest(): Result<string, StoreError> {
    return this.#connection.read(() => ok(positionOfRow(this.#connection.get(LATEST))));
  }

  read(_stream: string, position: string, limit: number, of?: EventScope): Result<EventPage, StoreError> {
    return this.#connection.read(() => {
      const { ms, number } = readPlace(position);
      const scope = scopeOf(of);
      const query = { sql: `${READ} ${scope.sql}${BEHIND}`, values: [...scope.values, ms, ms, number, limit] };
      const rows = this.#connection.query(query, isInScope(of));
      const [first, last] = [this.#connection.get(FIRST), this.#connection.get(LATEST)];
      const isThere = this.#connection.get(AT, number, ms) !== undefined;
      return ok(eventPageOf({ rows, limit, first, last, isThere }, position));
    });
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }
}
