import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { eventOf } from '../../src/session/event-detail.js';
import { isAfter } from '../../src/session/event-position.js';
import type { EventPage, SessionEvent } from '../../src/session/session-event.js';
import { noEvents } from '../../src/store/event-log.js';
import type { EventLog, EventScope } from '../../src/store/session-store.js';
import { escapeName } from '../stored/escape-name.js';
import { decodeDetail } from '../stored/json.js';
import type { Sender } from './clients.js';
import { type Call, type Connection, script } from './connection.js';
import type { Deployment, OpenCall } from './deployment.js';
import { keyOf } from './keyspace.js';
import { asCount, asList, asListOf, type ReplyForm } from './reply-form.js';
import { StreamListener } from './stream-listener.js';

/**
 * An event as the scripts write it to a stream, one line of text:
 *
 *     1 <incarnation> <sequence> <tenant>:<id> <its detail as JSON>
 *
 * The first field is the version of this format.
 */
const pattern = /^1 ([\w-]+) (\d+) ([\w.~%:-]+) (.*)$/s;

/** The event; `undefined` if this version does not know the format of the text. */
const decodeEvent = (position: string, text: string): SessionEvent | undefined => {
  const [, incarnation = '', sequence, sessionKey = '', json] = pattern.exec(text) ?? [];
  const detail = decodeDetail(json);
  if (detail === undefined) return undefined;
  const change = { incarnation, sequence: Number(sequence) };
  return eventOf(keyOf(sessionKey), change, detail, position);
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

const asEntry: ReplyForm<Entry> = (reply) => {
  const [id, fields] = asList(reply) ?? [];
  const [, text] = asList(fields) ?? [];
  return typeof id === 'string' && typeof text === 'string' ? { id, text } : undefined;
};

type Answer<T> = Promise<Result<T, StoreUnavailable | Misconfigured>>;

/**
 * The events in entries. Skips those of another scope: to decode them costs more than to read them.
 */
const eventsIn = (
  entries: readonly Entry[],
  scope: EventScope | undefined,
): readonly SessionEvent[] => {
  const session = scope?.sessionId === undefined ? '' : `${escapeName(scope.sessionId)} `;
  const mark = scope === undefined ? '' : ` ${escapeName(scope.tenant)}:${session}`;
  return entries
    .filter(({ text }) => text.includes(mark))
    .map(({ id, text }) => decodeEvent(id, text))
    .filter((event) => event !== undefined);
};

/** As text, because the server cuts numbers off. */
const timeScript = script(`
local time = redis.call('TIME')
return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))`);

/** The entries of a stream between two positions. */
const read = async (
  call: Call,
  command: 'xrange' | 'xrevrange',
  ...args: readonly [stream: string, from: string, to: string, count: number]
): Answer<readonly Entry[]> => {
  const [stream, from, to, count] = args;
  const words = [stream, from, to, 'COUNT', String(count)];
  const reply = await call.readCommand(command, words, asListOf(asEntry));
  return reply.mapErr(({ error }) => error);
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

  constructor(connection: Connection, deployment: Deployment, sender: Sender | undefined) {
    this.#connection = connection;
    this.#deployment = deployment;
    if (sender === undefined) return;
    const streams = new StreamListener(sender, () => connection.isClosed);
    this.listen = (listener, stream) => streams.listen(stream, listener);
  }

  async open(): Answer<void> {
    return this.#run(async () => ok(undefined));
  }

  streamOf(tenant: string): string {
    return this.#deployment.keys.tenant(tenant).events;
  }

  /** None if they would have to be polled, because they are many. */
  streams(): readonly string[] {
    const { keys } = this.#deployment;
    if (this.listen === undefined) return [];
    return keys.partitions.map((partition) => keys.eventsOf(partition));
  }

  async latest(stream: string): Answer<string> {
    return this.#run(async ({ call }) => {
      const last = await read(call, 'xrevrange', stream, '+', '-', 1);
      return last.map(([entry]) => entry?.id ?? BEGINNING);
    });
  }

  /** By a script, because a cluster sends the command to any of its servers. */
  async now(stream: string): Answer<number> {
    return this.#run(async ({ call }) => {
      const time = await call.readScript(timeScript, [stream], [], asCount);
      return time.mapErr(({ error }) => error);
    });
  }

  /** Runs a read, unless the deployment has no events. */
  #run<T>(work: (open: OpenCall) => Answer<T>): Answer<T> {
    return this.#deployment.run(async (open) =>
      open.eventsLength === '' ? err(noEvents) : work(open),
    );
  }

  /**
   * Also reads the entry at the position. If it is gone, entries after it may be gone too: the
   * stream was trimmed, or the server was restored from older data and continues from there.
   */
  async read(stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    return this.#run(async (open) => {
      const from = /^\d+-\d+$/.test(position) ? position : BEGINNING;
      const found = await read(open.call, 'xrange', stream, from, '+', limit + 1);
      if (found.isErr()) return err(found.error);
      const entries = found.value;
      const isThere = entries[0]?.id === from;
      const isTrimmed = isThere
        ? ok(false)
        : await this.#isTrimmedBehind(stream, from, entries, Number(open.eventsLength));
      if (isTrimmed.isErr()) return err(isTrimmed.error);
      const fresh = isThere ? entries.slice(1) : entries.slice(0, limit);
      const last = fresh.at(-1)?.id ?? (isTrimmed.value ? await this.#endOf(stream, from) : from);
      return ok({ events: eventsIn(fresh, of), position: last, isTrimmed: isTrimmed.value });
    });
  }

  /** The end of a stream; the position itself if the stream is empty or cannot be read. */
  async #endOf(stream: string, position: string): Promise<string> {
    const latest = (await this.latest(stream)).unwrapOr(BEGINNING);
    return latest === BEGINNING ? position : latest;
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
    const call = this.#connection.begin();
    const reply = await call.readCommand('xinfo', ['STREAM', stream], asList);
    const fields: readonly unknown[] = reply.unwrapOr([]);
    const numberOf = (name: string): number | undefined =>
      fields.includes(name) ? Number(fields[fields.indexOf(name) + 1]) : undefined;
    const [length, added] = [numberOf('length'), numberOf('entries-added')];
    if (length === undefined) return false;
    return added === undefined ? length >= most : added > length;
  }

  async #firstOf(stream: string): Answer<Entry | undefined> {
    const call = this.#connection.begin();
    const entries = await read(call, 'xrange', stream, '-', '+', 1);
    return entries.map(([first]) => first);
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }
}
