import type { EventPage } from '../../src/events/session-event.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { eventPageOf, positionOfRow, readPlace, scopeOf } from '../sql/event-rows.js';
import type { Answer, Call } from './call.js';
import type { Connection } from './connection.js';
import { NotificationListener } from './notification-listener.js';
import type { PostgresSettings } from './postgres-session-store-options.js';

/** Milliseconds before a failed publication is tried again. */
const RETRY_MS = 1000;

/** The one stream of a schema. Each event is written with its change, and published to the stream after the commit. */
export class PostgresEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #publication: string;
  readonly listen: EventLog['listen'];
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(
    connection: Connection,
    prefix: string,
    { schema, events }: PostgresSettings & { readonly events: { readonly length: number; readonly listen: boolean } },
  ) {
    this.#connection = connection;
    this.#prefix = prefix;
    const channel = `colloquy_${schema}`;
    // A publication needs the events that others committed while it waited for its turn. Two statements in one message are
    // one transaction, which the server ends also where it refuses them: the connection is as good as before.
    this.#publication = `SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
      SELECT ${prefix}publish(${events.length}, '${channel}')`;
    const listener = events.listen ? new NotificationListener(connection, channel) : undefined;
    this.listen = listener && ((wake) => listener.listen(wake));
  }

  /**
   * Publishes all events that are committed by now. Calls at the same time share a publication: one that starts after the
   * last of them. If it fails, it is tried again later; the events stay where they are until then. A call waits for it
   * until its own deadline: its change is committed.
   */
  publish(call: Call): Promise<void> {
    return call.wait(this.#publishNext());
  }

  streamOf(): string {
    return '';
  }

  async latest(): Answer<string> {
    const sql = `SELECT number, ms FROM ${this.#prefix}events ORDER BY number DESC LIMIT 1`;
    return (await this.#connection.begin().read(sql)).map(([row]) => positionOfRow(row));
  }

  async read(_stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    const { ms, number } = readPlace(position);
    const scope = scopeOf(of);
    const end = (name: string, direction: string) => `${name} AS (
      SELECT number AS ${name}_number, ms AS ${name}_ms FROM ${this.#prefix}events ORDER BY number ${direction} LIMIT 1)`;
    // One statement sees one moment of the log.
    const sql = `WITH ${end('first', 'ASC')}, ${end('last', 'DESC')},
      page AS (SELECT * FROM ${this.#prefix}events WHERE ${scope.sql}(ms, number) > (?, ?) ORDER BY ms, number LIMIT ?)
      SELECT *, EXISTS (SELECT FROM ${this.#prefix}events WHERE number = ? AND ms = ?) AS is_there
        FROM first CROSS JOIN last LEFT JOIN page ON true ORDER BY ms, number`;
    const found = await this.#connection
      .begin()
      .query({ sql, values: [...scope.values, ms, number, limit, number, ms] });
    return found.map((all) => {
      const [row] = all;
      const first = row && { number: row['first_number'], ms: row['first_ms'] };
      const last = row && { number: row['last_number'], ms: row['last_ms'] };
      const rows = all.filter(({ number: numbered }) => numbered !== null);
      return eventPageOf({ rows, limit, first, last, isThere: row?.['is_there'] === true }, position);
    });
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }

  #publishNext(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#publish();
      return this.#running;
    });
    return this.#next;
  }

  async #publish(): Promise<void> {
    const published = await this.#connection.begin().write(this.#publication);
    if (published.isOk() || this.isClosed()) return;
    setTimeout(() => void this.#publishNext(), RETRY_MS).unref();
  }
}
