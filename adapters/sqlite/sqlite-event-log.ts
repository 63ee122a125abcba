import { ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { type ChangeId, type EventDetail, eventOf } from '../../src/events/event-detail.js';
import { isAfter } from '../../src/events/position.js';
import type { EventPage, SessionEvent } from '../../src/events/session-event.js';
import type { Fields } from '../../src/input/values.js';
import { escapeName, unescapeName } from '../../src/store/escape-name.js';
import type { EventLog, EventScope, SessionKey } from '../../src/store/session-store.js';
import { decodeDetail } from '../../src/store/stored-json.js';
import type { Connection } from './connection.js';

const BEGINNING = '0-0';

/* Both the times and the numbers of the events only increase. The latest event is never trimmed. */
const FIRST = 'SELECT ms, number FROM colloquy_events ORDER BY number LIMIT 1';
const LATEST = 'SELECT ms, number FROM colloquy_events ORDER BY number DESC LIMIT 1';
const ADD = `INSERT INTO colloquy_events (number, ms, tenant, id, birth, sequence, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const TRIM = 'DELETE FROM colloquy_events WHERE number <= ?';
const READ = `SELECT number, ms, tenant, id, birth, sequence, detail FROM colloquy_events
  WHERE ms >= ? AND (ms > ? OR number > ?) ORDER BY ms, number LIMIT ?`;

const positionOf = (row: Fields | undefined): string =>
  row === undefined ? BEGINNING : `${Number(row['ms'])}-${Number(row['number'])}`;

/** The time and the number in a position. Numbers above all that SQLite can compare exactly stand for the last one. */
const placeOf = (position: string): { readonly ms: number; readonly number: number } => {
  const [, ms = '0', number = '0'] = /^(\d+)(?:-(\d+))?$/.exec(position) ?? [];
  return { ms: Number(ms), number: Math.min(Number(number), Number.MAX_SAFE_INTEGER) };
};

const eventAt = (row: Fields): SessionEvent | undefined => {
  const detail = decodeDetail(row['detail']);
  const key = { tenant: unescapeName(String(row['tenant'])), id: unescapeName(String(row['id'])) };
  const change = { birth: String(row['birth']), sequence: Number(row['sequence']) };
  return detail && eventOf(key, change, detail, positionOf(row));
};

const isInScope = (row: Fields, of: EventScope | undefined): boolean =>
  of === undefined ||
  (row['tenant'] === escapeName(of.tenant) && (of.sessionId === undefined || row['id'] === escapeName(of.sessionId)));

/** The one stream of a file. Each event is written in the transaction of its change. Watchers poll it. */
export class SqliteEventLog implements EventLog {
  readonly #connection: Connection;
  /** Number of events that the file keeps; if undefined, no events are written. */
  readonly #length: number | undefined;

  constructor(connection: Connection, length: number | undefined) {
    this.#connection = connection;
    this.#length = length;
  }

  /** Logs a change, within the transaction that makes it. */
  log({ tenant, id }: SessionKey, { birth, sequence }: ChangeId, detail: EventDetail): void {
    if (this.#length === undefined) return;
    const { ms, number } = placeOf(positionOf(this.#connection.get(LATEST)));
    const values = [escapeName(tenant), escapeName(id), birth, sequence, JSON.stringify(detail)];
    this.#connection.run(ADD, number + 1, Math.max(Date.now(), ms), ...values);
    if (number + 1 > this.#length) this.#connection.run(TRIM, number + 1 - this.#length);
  }

  streamOf(): string {
    return '';
  }

  latest(): Result<string, StoreUnavailable> {
    return this.#connection.read(() => ok(positionOf(this.#connection.get(LATEST))));
  }

  read(_stream: string, position: string, limit: number, of?: EventScope): Result<EventPage, StoreUnavailable> {
    return this.#connection.read(() => {
      const { ms, number } = placeOf(position);
      const rows = this.#connection.all(READ, ms, ms, number, limit);
      const events = rows.flatMap((row): readonly SessionEvent[] => {
        const event = isInScope(row, of) ? eventAt(row) : undefined;
        return event === undefined ? [] : [event];
      });
      const last = rows.at(-1);
      return ok({
        events,
        position: last === undefined ? position : positionOf(last),
        isTrimmed: this.#isTrimmedBehind(position, number),
      });
    });
  }

  /** Without the trimmed events, a time before the first one may be before or behind them: it counts as before. */
  #isTrimmedBehind(position: string, number: number): boolean {
    const first = this.#connection.get(FIRST);
    const firstNumber = Number(first?.['number'] ?? 1);
    return firstNumber > 1 && number !== firstNumber - 1 && isAfter(positionOf(first), position);
  }

  /** Does nothing: a change and its event are one transaction. */
  repeat(): Result<undefined, never> {
    return ok(undefined);
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }
}
