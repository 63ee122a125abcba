import { err, ok } from 'neverthrow';
import type { EventPage } from '../../src/events/session-event.js';
import type { Fields } from '../../src/input/values.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { eventPageOf, positionOfRow, readPlace } from '../sql/event-rows.js';
import type { Answer, Connection } from './connection.js';
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
   * last of them. If it fails, it is tried again later; the events stay where they are until then.
   */
  publish(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#publish();
      return this.#running;
    });
    return this.#next;
  }

  streamOf(): string {
    return '';
  }

  async latest(): Answer<string> {
    const sql = `SELECT number, ms FROM ${this.#prefix}events ORDER BY number DESC LIMIT 1`;
    return (await this.#connection.read(sql)).map(([row]) => positionOfRow(row));
  }

  async read(_stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    const { ms, number } = readPlace(position);
    const sql = `WITH first AS (SELECT number AS first_number, ms AS first_ms FROM ${this.#prefix}events
        ORDER BY number LIMIT 1),
      page AS (SELECT * FROM ${this.#prefix}events WHERE (ms, number) > ($1, $2) ORDER BY ms, number LIMIT $3)
      SELECT * FROM first LEFT JOIN page ON true ORDER BY ms, number`;
    const rows = await this.#connection.read(sql, [ms, number, limit]);
    if (rows.isErr()) return err(rows.error);
    const [row] = rows.value;
    const first: Fields | undefined = row && { number: row['first_number'], ms: row['first_ms'] };
    return ok(
      eventPageOf(
        rows.value.filter(({ number: found }) => found !== null),
        position,
        first,
        of,
      ),
    );
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }

  async #publish(): Promise<void> {
    const published = await this.#connection.write(this.#publication);
    if (published.isOk() || this.isClosed()) return;
    setTimeout(() => void this.publish(), RETRY_MS).unref();
  }
}
