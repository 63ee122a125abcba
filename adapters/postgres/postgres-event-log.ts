import { err, ok } from 'neverthrow';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import type { EventPage } from '../../src/session/session-event.js';
import { noEvents } from '../../src/store/event-log.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { eventPageOf, eventsAfter, POSITION, parseLogPosition } from '../sql/event-rows.js';
import type { Answer, Call } from './call.js';
import type { Connection } from './connection.js';
import { NotificationListener } from './notification-listener.js';
import type { PostgresSettings } from './postgres-session-store-options.js';

/** The result of a read, and whether there are unpublished events after it. */
interface AtTheEnd<T> {
  readonly value: T;
  readonly isLate: boolean;
}

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms';

const POSITIONS = `SELECT ${POSITION} FROM $events ORDER BY number`;
/** Where the ends of transactions with events are notified. */
export const channelOf = ({ schema }: Pick<PostgresSettings, 'schema'>): string =>
  `colloquy_${schema}`;

/** One row: the first and the last row of the log, and whether there are unpublished events. */
const ENDS = `
  SELECT EXISTS (SELECT FROM $outbox) AS is_late,
    coalesce((${POSITIONS} LIMIT 1), '0-0') AS first,
    coalesce((${POSITIONS} DESC LIMIT 1), '0-0') AS last`;

const END_COLUMNS = ['is_late', 'first', 'last'];

/** The rows of a page and the ends of the log, in one statement, so that they are consistent. */
const readOf = (page: string) => `
  WITH ends AS (${ENDS}), page AS (${page})
  SELECT *, EXISTS (SELECT FROM $events WHERE number = ? AND ms = ?) AS is_there
  FROM ends LEFT JOIN page ON true
  ORDER BY number`;

/**
 * The single stream of a schema. Each event is written to the outbox in the transaction of its
 * change. After the commit it is published to the stream, by the process that made the change or by
 * the next reader, whichever comes first. So a reader misses no change that was committed before
 * its read, even if the process that made it has ended.
 */
export class PostgresEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly listen: EventLog['listen'];
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<unknown> | undefined;
  #publishesSoon = false;

  constructor(
    connection: Connection,
    { schema, listen }: Pick<PostgresSettings, 'schema' | 'listen'>,
  ) {
    this.#connection = connection;
    this.#channel = channelOf({ schema });
    const listener = listen ? new NotificationListener(connection, this.#channel) : undefined;
    this.listen = listener && ((wake) => listener.listen(wake));
  }

  /**
   * Publishes all committed events soon, without a wait for the result. Changes at the same time
   * share a publication.
   */
  publishSoon(): void {
    // Delayed, so that a host can end its pool directly after a change: the pool would never answer
    // the request.
    if (this.#publishesSoon) return;
    this.#publishesSoon = true;
    inLaterTurn(() => {
      this.#publishesSoon = false;
      void this.#publish();
    });
  }

  streams(): readonly string[] {
    return [this.streamOf()];
  }

  streamOf(): string {
    return '';
  }

  latest(): Answer<string> {
    return this.#complete(async (call) =>
      (await call.read({ sql: ENDS, values: [], columns: END_COLUMNS, hasRow: true })).map(
        ([row]) => {
          const isLate = row?.['is_late'] === true;
          return { value: String(row?.['last']), isLate };
        },
      ),
    );
  }

  /** Events get their time when they are published, after the commit of their change. */
  async now(): Answer<number> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const rows = await begun.value.call.read({
      sql: NOW,
      values: [],
      columns: ['ms'],
      hasRow: true,
    });
    return rows.map(([row]) => Number(row?.['ms']));
  }

  read(_stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    const { ms, number } = parseLogPosition(position);
    const page = eventsAfter(position, of, limit);
    const values = [...page.values, number, ms];
    const columns = [...END_COLUMNS, 'is_there', 'number', 'position', 'detail'];
    const read = { sql: readOf(page.sql), values, columns, hasRow: true };
    return this.#complete(async (call) =>
      (await call.read(read)).map((all) => {
        const { is_late, is_there, first, last } = all[0] ?? {};
        const rows = all.filter((row) => row['number'] !== null);
        const ends = { first: String(first), last: String(last) };
        const value = eventPageOf({ rows, limit, ...ends, isThere: is_there === true }, position);
        return { value, isLate: is_late === true && rows.length < limit };
      }),
    );
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }

  /** Begins a call, unless the deployment has no events. `length` is the number that it keeps. */
  async #begin(): Answer<{ readonly call: Call; readonly length: number }> {
    const call = this.#connection.begin();
    const deployment = await call.deployment();
    if (deployment.isErr()) return err(deployment.error);
    const { eventsLength: length } = deployment.value;
    if (length === 0) return err(noEvents);
    return ok({ call, length });
  }

  /** Reads the end of the log, and again after a publication if there are unpublished events. */
  async #complete<T>(read: (call: Call) => Answer<AtTheEnd<T>>): Answer<T> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const { call } = begun.value;
    const found = await read(call);
    if (found.isErr() || !found.value.isLate) return found.map(({ value }) => value);
    await call.within(this.#publish());
    return (await read(call)).map(({ value }) => value);
  }

  /**
   * Publishes all committed events. Concurrent calls share a publication that starts after the last
   * of them. If it fails, the events stay in the outbox until the next one.
   */
  #publish(): Promise<unknown> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#send();
      return this.#running;
    });
    return this.#next;
  }

  async #send(): Answer<unknown> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const { call, length } = begun.value;
    return call.run('publish', [length, this.#channel]);
  }
}
