import { err, ok } from 'neverthrow';
import type { Fields } from '../../src/session/fields.js';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import type { EventPage } from '../../src/session/session-event.js';
import { noEvents } from '../../src/store/event-log.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { eventPageOf, eventsAfter, POSITION, parseLogPosition } from '../sql/event-rows.js';
import { type Answer, Call } from './call.js';
import type { Connection } from './connection.js';
import { NotificationListener } from './notification-listener.js';
import type { PostgresSettings } from './postgres-session-store-options.js';
import type { Statement } from './prepared-statements.js';

interface AtTheEnd<T> {
  readonly value: T;
  readonly isLate: boolean;
}

/** Where the ends of transactions with events are notified. */
export const channelOf = ({ schema }: Pick<PostgresSettings, 'schema'>): string =>
  `colloquy_${schema}`;

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms';

const POSITIONS = `SELECT ${POSITION} FROM $events ORDER BY number`;

/** One row: the first and the last row of the log, and whether there are unpublished events. */
const ENDS = `
  SELECT EXISTS (SELECT FROM $outbox) AS is_late,
    coalesce((${POSITIONS} LIMIT 1), '0-0') AS first,
    coalesce((${POSITIONS} DESC LIMIT 1), '0-0') AS last`;

const END_COLUMNS = ['is_late', 'first', 'last'];

/** One statement, so that the rows of a page and the ends of the log are consistent. */
const readOf = (page: string) => `
  WITH ends AS (${ENDS}), page AS (${page})
  SELECT *, EXISTS (SELECT FROM $events WHERE number = ? AND ms = ?) AS is_there
  FROM ends LEFT JOIN page ON true
  ORDER BY number`;

/**
 * The single stream of a schema. Each event is written to the outbox in the transaction of its
 * change. After the commit, the process that made the change or the next reader publishes it to the
 * stream, whichever comes first. So a reader misses no change that was committed before its read,
 * even if the process that made it has ended.
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
   * Publishes all committed events, once for several changes. Delayed, because a host may end its
   * pool directly after a change: the pool would never answer the request.
   */
  publishSoon(): void {
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
    const read = { sql: ENDS, values: [], columns: END_COLUMNS, hasRow: true };
    return this.#read(read, ([row]) => ({
      value: String(row?.['last']),
      isLate: row?.['is_late'] === true,
    }));
  }

  /** Events get their time when they are published, after the commit of their change. */
  now(): Answer<number> {
    const read = { sql: NOW, values: [], columns: ['ms'], hasRow: true };
    return this.#read(read, ([row]) => ({ value: Number(row?.['ms']), isLate: false }));
  }

  read(_stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    const { ms, number } = parseLogPosition(position);
    const page = eventsAfter(position, of, limit);
    const values = [...page.values, number, ms];
    const columns = [...END_COLUMNS, 'is_there', 'number', 'position', 'detail'];
    return this.#read({ sql: readOf(page.sql), values, columns, hasRow: true }, (all) => {
      const { is_late, is_there, first, last } = all[0] ?? {};
      const rows = all.filter((row) => row['number'] !== null);
      const ends = { first: String(first), last: String(last) };
      const value = eventPageOf({ rows, limit, ...ends, isThere: is_there === true }, position);
      return { value, isLate: is_late === true && rows.length < limit };
    });
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }

  /** Fails if the deployment has no events. `length`: the number of events that it keeps. */
  async #begin(): Answer<{ readonly call: Call; readonly length: number }> {
    const call = new Call(this.#connection);
    const deployment = await call.deployment();
    if (deployment.isErr()) return err(deployment.error);
    const { eventsLength: length } = deployment.value;
    if (length === 0) return err(noEvents);
    return ok({ call, length });
  }

  /** Reads again after a publication if there are unpublished events. */
  async #read<T>(statement: Statement, parse: (rows: readonly Fields[]) => AtTheEnd<T>): Answer<T> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const { call } = begun.value;
    const found = (await call.read(statement)).map(parse);
    if (found.isErr() || !found.value.isLate) return found.map(({ value }) => value);
    await call.within(this.#publish());
    return (await call.read(statement)).map((rows) => parse(rows).value);
  }

  /**
   * Concurrent calls share a publication that starts after the last of them. If it fails, the
   * events stay in the outbox until the next publication.
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
