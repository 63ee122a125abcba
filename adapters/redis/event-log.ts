import { err, ok, type Result } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../../src/errors.js';
import type { EventPage, SessionEvent } from '../../src/events/event.js';
import { isBehind } from '../../src/events/position.js';
import { tidingsOf } from '../../src/events/tidings.js';
import type { SessionStatus } from '../../src/status.js';
import type { EventLog, EventScope, SessionKey } from '../../src/store.js';
import type { RedisClient } from './client.js';
import type { Call, Connection } from './connection.js';
import { decodeEvent } from './event-text.js';
import type { EventWriter } from './event-writer.js';
import { failed } from './failure.js';
import { escapeName, type Keyspace } from './keys.js';
import { decodeState } from './record-text.js';

/** Before all entries of a stream. */
const BEGINNING = '0-0';

interface Entry {
  readonly id: string;
  readonly text: string;
}

const entriesOf = (reply: readonly unknown[]): readonly Entry[] =>
  reply.flatMap((entry): Entry[] => {
    const [id, fields]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const text: unknown = Array.isArray(fields) ? fields[1] : undefined;
    return typeof id === 'string' ? [{ id, text: typeof text === 'string' ? text : '' }] : [];
  });

/** What stands in the text of every event of a scope: decoding those of others would cost more than reading them. */
const markOf = ({ tenant, sessionId }: EventScope): string =>
  ` ${escapeName(tenant)}:${sessionId === undefined ? '' : `${escapeName(sessionId)} `}`;

const unable = new Error('ERR the client has no streams');

const range = (client: RedisClient, stream: string, from: string, size: number): Promise<readonly unknown[]> => {
  if (client.xrange === undefined) throw unable;
  return client.xrange(stream, from, '+', 'COUNT', size);
};

/** The streams of a Redis store: one a partition, cut to about a number of events. */
export class RedisEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #writer: EventWriter;

  constructor(connection: Connection, keys: Keyspace, writer: EventWriter) {
    this.#connection = connection;
    this.#keys = keys;
    this.#writer = writer;
  }

  streamOf(tenant: string): string {
    return this.#keys.events(tenant);
  }

  async latest(stream: string): Promise<Result<string, StoreUnavailable>> {
    const last = await this.#connection.begin().read(async (client) => {
      if (client.xrevrange === undefined) throw unable;
      return client.xrevrange(stream, '+', '-', 'COUNT', 1);
    });
    return last.map((reply) => entriesOf(reply)[0]?.id ?? BEGINNING).mapErr(({ error }) => error);
  }

  /** The entry at the position is asked for too: if it is there, nothing behind it was trimmed. */
  async read(
    stream: string,
    position: string,
    limit: number,
    of?: EventScope,
  ): Promise<Result<EventPage, StoreUnavailable>> {
    const from = /^\d+-\d+$/.test(position) ? position : BEGINNING;
    const reply = await this.#connection.begin().read(async (client) => range(client, stream, from, limit + 1));
    if (reply.isErr()) return err(reply.error.error);
    const entries = entriesOf(reply.value);
    const isThere = entries[0]?.id === from;
    // A stream that nobody has trimmed begins with a creation; from its beginning on there is nothing to miss.
    const isTrimmed = isThere || from === BEGINNING ? ok(false) : await this.#beginsBehind(stream, from);
    if (isTrimmed.isErr()) return err(isTrimmed.error);
    const fresh = isThere ? entries.slice(1) : entries.slice(0, limit);
    const mark = of === undefined ? '' : markOf(of);
    const events = fresh.flatMap(({ id, text }): readonly SessionEvent[] => {
      const event = text.includes(mark) ? decodeEvent(id, text) : undefined;
      return event === undefined ? [] : [event];
    });
    return ok({ events, position: fresh.at(-1)?.id ?? from, isTrimmed: isTrimmed.value });
  }

  /** Whether what a stream keeps begins behind a position at which there is no entry: what was before it is gone. */
  async #beginsBehind(stream: string, position: string): Promise<Result<boolean, StoreUnavailable>> {
    const reply = await this.#connection.begin().read(async (client) => range(client, stream, '-', 1));
    return reply
      .map((entries) => isBehind(entriesOf(entries)[0]?.id ?? position, position) || entries.length === 0)
      .mapErr(({ error }) => error);
  }

  async repeat(key: SessionKey): Promise<Result<unknown, StoreError>> {
    return this.#repeat(this.#connection.begin(), key, () => true);
  }

  /** Tells the end of a session once more, for the process that wrote it down may have died before it told it. */
  async repeatEnd(call: Call, key: SessionKey): Promise<Result<unknown, StoreError>> {
    return this.#repeat(call, key, (status) => status === 'TERMINATED');
  }

  async #repeat(
    call: Call,
    key: SessionKey,
    isMeant: (status: SessionStatus) => boolean,
  ): Promise<Result<unknown, StoreError>> {
    const text = await call.read((client) => client.get(this.#keys.of(key).record));
    if (text.isErr()) return err(failed(key)(text.error));
    const decoded = text.value === null ? undefined : decodeState(text.value);
    if (typeof decoded !== 'object' || !isMeant(decoded.state.status)) return ok(undefined);
    const { state, birth, lastWrite } = decoded;
    const made = { birth, sequence: state.status === 'IDLE' ? 1 : (lastWrite?.sequence ?? 1) };
    return this.#writer.tell(call, key, made, tidingsOf(lastWrite?.before === 'P', state));
  }
}
