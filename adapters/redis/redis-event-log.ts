import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { type EventDetail, eventOf, isSimpleEvent } from '../../src/session/event-detail.js';
import { isAfter } from '../../src/session/event-position.js';
import type { EventPage, SessionEvent } from '../../src/session/session-event.js';
import { isEndReason } from '../../src/session/session-status.js';
import { noEvents } from '../../src/store/no-events.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { labelsOf } from '../shared/label-texts.js';
import { NEVER } from '../shared/never.js';
import { type Connection, script } from './connection.js';
import type { Deployment, OpenCall } from './deployment.js';
import { keyOfPath } from './keyspace.js';
import type { BlockingRedisClient, RedisClient } from './redis-session-store-options.js';
import { StreamListener } from './stream-listener.js';

/**
 * An event as the scripts write it to a stream, one line of plain text:
 *
 *     1 <type> <incarnation> <sequence> <ms> <tenant>:<id> <end reason, or start and end of entries in the history and the
 *       position that a rewind follows, or holder, or time limit and deadline, or labels, or ->
 *
 * A comma before the labels tells that the metadata has changed. The first field is the version of
 * this format.
 */
const pattern = /^1 ([a-z]+) ([\w-]*) (\d+) (\d+) ([\w.~%:-]+) ([\w.~%=,-]+)$/;

const readDetail = (type: string, at: number, detail: string): EventDetail | undefined => {
  switch (type) {
    case 'appended': {
      const [start = 0, position = 0, after] = detail.split('_').map(Number);
      return { type, at, start, position, ...(after !== undefined && { after }) };
    }
    case 'leased':
    case 'released':
      return { type, at, holder: unescapeName(detail) };
    case 'extended': {
      const [limitMs = NEVER, endsAt = NEVER] = detail.split('_').map(Number);
      return {
        type,
        at,
        limitMs: limitMs < NEVER ? limitMs : 0,
        ...(endsAt < NEVER && { endsAt }),
      };
    }
    case 'redacted':
      return { type, at, positions: detail.split('_').map(Number) };
    case 'updated': {
      const hasMark = detail.startsWith(',');
      const labels = hasMark ? detail.slice(1) : detail;
      const update = { type, at, labels: labels === '-' ? {} : labelsOf(labels.split(',')) };
      return hasMark ? { ...update, metadataChanged: true } : update;
    }
    case 'terminated':
      return isEndReason(detail) ? { type, at, endReason: detail } : undefined;
    default:
      return isSimpleEvent(type) ? { type, at } : undefined;
  }
};

/** The event; `undefined` if this version does not know the format of the text. */
const decodeEvent = (position: string, text: string): SessionEvent | undefined => {
  const [, type, incarnation, number, ms, path, detail] = pattern.exec(text) ?? [];
  if (type === undefined || incarnation === undefined || path === undefined || detail === undefined)
    return undefined;
  const decoded = readDetail(type, Number(ms), detail);
  return (
    decoded &&
    eventOf(keyOfPath(path), { incarnation, sequence: Number(number) }, decoded, position)
  );
};

/** Before all entries of a stream. */
const BEGINNING = '0-0';

/**
 * Whether no entry can have this position: it is after all entries of a millisecond, or before all
 * entries.
 */
const isBetween = (position: string): boolean =>
  position === BEGINNING || position.endsWith('-18446744073709551615');

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

type Answer<T> = Promise<Result<T, StoreUnavailable | Misconfigured>>;

/**
 * A text that every event of a scope contains, to skip other events: decoding them would cost more
 * than reading them.
 */
const markOf = ({ tenant, sessionId }: EventScope): string =>
  ` ${escapeName(tenant)}:${sessionId === undefined ? '' : `${escapeName(sessionId)} `}`;

/** As text, because the server cuts numbers off. */
const timeScript = script(`
local time = redis.call('TIME')
return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))`);

const unsupported = new Error('ERR the client has no streams');

const range = (
  client: RedisClient,
  stream: string,
  from: string,
  size: number,
): Promise<readonly unknown[]> => {
  if (client.xrange === undefined) throw unsupported;
  return client.xrange(stream, from, '+', 'COUNT', size);
};

/**
 * The streams of a Redis store: one per partition, trimmed to about a number of events. The script
 * of a change writes its event.
 */
export class RedisEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #deployment: Deployment;
  /** Calls a listener when there are new events, if the host has provided a connection for it. */
  readonly listen: ((listener: () => void, stream: string) => () => void) | undefined;

  constructor(
    connection: Connection,
    deployment: Deployment,
    client: BlockingRedisClient | undefined,
  ) {
    this.#connection = connection;
    this.#deployment = deployment;
    if (client === undefined) return;
    const streams = new StreamListener(client, () => connection.isClosed);
    this.listen = (listener, stream) => streams.listen(stream, listener);
  }

  async open(): Answer<void> {
    return (await this.#begin()).map(() => undefined);
  }

  streamOf(tenant: string): string {
    return this.#deployment.keys.tenant(tenant).events;
  }

  /** None if they would have to be polled, because they are many. */
  streams(): readonly string[] {
    const { keys } = this.#deployment;
    return this.listen === undefined
      ? []
      : keys.partitions.map((partition) => keys.eventsOf(partition));
  }

  async latest(stream: string): Answer<string> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const last = await begun.value.call.readCommand(async (client) => {
      if (client.xrevrange === undefined) throw unsupported;
      return client.xrevrange(stream, '+', '-', 'COUNT', 1);
    });
    return last.map((reply) => entriesOf(reply)[0]?.id ?? BEGINNING).mapErr(({ error }) => error);
  }

  /** By a script, because a cluster sends the command to any of its servers. */
  async now(stream: string): Answer<number> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const time = await begun.value.call.readScript(timeScript, [stream], []);
    return time.map(Number).mapErr(({ error }) => error);
  }

  /** Begins a read, unless the deployment has no events. */
  async #begin(): Answer<OpenCall> {
    const opened = await this.#deployment.begin();
    return opened.andThen((open) => (open.eventsLength === '' ? err(noEvents) : ok(open)));
  }

  /**
   * Also reads the entry at the position. If it is gone, entries after it may be gone too: the
   * stream was trimmed, or the server was restored from older data and continues from there.
   */
  async read(stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    const begun = await this.#begin();
    if (begun.isErr()) return err(begun.error);
    const { call, eventsLength } = begun.value;
    const from = /^\d+-\d+$/.test(position) ? position : BEGINNING;
    const reply = await call.readCommand(async (client) => range(client, stream, from, limit + 1));
    if (reply.isErr()) return err(reply.error.error);
    const entries = entriesOf(reply.value);
    const isThere = entries[0]?.id === from;
    const isTrimmed = isThere
      ? ok(false)
      : await this.#isTrimmedBehind(stream, from, entries, Number(eventsLength));
    if (isTrimmed.isErr()) return err(isTrimmed.error);
    const fresh = isThere ? entries.slice(1) : entries.slice(0, limit);
    const mark = of === undefined ? '' : markOf(of);
    const events = fresh.flatMap(({ id, text }): readonly SessionEvent[] => {
      const event = text.includes(mark) ? decodeEvent(id, text) : undefined;
      return event === undefined ? [] : [event];
    });
    const end = fresh.at(-1)?.id ?? (isTrimmed.value ? await this.#endOf(stream, from) : from);
    return ok({ events, position: end, isTrimmed: isTrimmed.value });
  }

  /** The end of a stream; the position itself if the stream is empty or cannot be read. */
  async #endOf(stream: string, position: string): Promise<string> {
    const latest = await this.latest(stream);
    return latest.isErr() || latest.value === BEGINNING ? position : latest.value;
  }

  async #isTrimmedBehind(
    stream: string,
    position: string,
    entries: readonly Entry[],
    length: number,
  ): Answer<boolean> {
    if (!isBetween(position)) return ok(true);
    const begins = position === BEGINNING ? ok(entries[0]) : await this.#firstOf(stream);
    if (begins.isErr()) return err(begins.error);
    const first = begins.value;
    if (first !== undefined && !isAfter(first.id, position)) return ok(false);
    // A stream that was never trimmed begins with the first change of a session.
    if (first !== undefined && decodeEvent(first.id, first.text)?.sequence !== 1) return ok(true);
    return ok(await this.#hasLostEntries(stream, length));
  }

  /**
   * Whether a stream that keeps `most` events was ever trimmed, if the server reports it (Redis 7.0
   * and later, for users with the right to XINFO).
   */
  async #hasLostEntries(stream: string, most: number): Promise<boolean> {
    const reply = await this.#connection
      .begin()
      .readCommand(async (client) => client.xinfo?.('STREAM', stream));
    const fields: readonly unknown[] =
      reply.isOk() && Array.isArray(reply.value) ? reply.value : [];
    const numberOf = (name: string): number | undefined =>
      fields.includes(name) ? Number(fields[fields.indexOf(name) + 1]) : undefined;
    const [length, added] = [numberOf('length'), numberOf('entries-added')];
    if (length === undefined) return false;
    return added === undefined ? length >= most : added > length;
  }

  async #firstOf(stream: string): Answer<Entry | undefined> {
    const call = this.#connection.begin();
    const reply = await call.readCommand((client) => range(client, stream, '-', 1));
    return reply.map((entries) => entriesOf(entries)[0]).mapErr(({ error }) => error);
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }
}
