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
import { type Call, type Connection, scriptOf } from './connection.js';
import type { Deployment, OpenCall } from './deployment.js';
import { keyOf } from './keyspace.js';
import { asCount, asList, asListOf, type ReplyForm } from './reply-form.js';
import { StreamListener } from './stream-listener.js';

/**
 * Scripts write an event as one line to a stream. The first field is the version of the format:
 *
 *     1 <incarnation> <sequence> <tenant>:<id> <its detail as JSON>
 */
const pattern = /^1 ([\w-]+) (\d+) ([\w.~%:-]+) (.*)$/s;

const decodeEvent = (position: string, text: string): SessionEvent | undefined => {
  const [, incarnation = '', sequence, sessionKey = '', json] = pattern.exec(text) ?? [];
  const detail = decodeDetail(json);
  if (detail === undefined) return undefined;
  const change = { incarnation, sequence: Number(sequence) };
  return eventOf(keyOf(sessionKey), change, detail, position);
};

const BEGINNING = '0-0';

/**
 * Whether no entry can have a position: it follows all entries of a millisecond, or is the
 * beginning.
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

/** Skips other scopes before decoding, which costs more than reading. */
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

/** As a string, because the server truncates numbers. */
const timeScript = scriptOf(`
local time = redis.call('TIME')
return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))`);

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
 * Whether a stream that keeps `most` events was ever trimmed, if the server reports it: Redis 7.0
 * or later, if the user has the right to XINFO.
 */
const hasLostEntries = async (call: Call, stream: string, most: number): Promise<boolean> => {
  const reply = await call.readCommand('xinfo', ['STREAM', stream], asList);
  const fields: readonly unknown[] = reply.unwrapOr([]);
  const numberOf = (name: string): number | undefined =>
    fields.includes(name) ? Number(fields[fields.indexOf(name) + 1]) : undefined;
  const [length, added] = [numberOf('length'), numberOf('entries-added')];
  if (length === undefined) return false;
  return added === undefined ? length >= most : added > length;
};

const isTrimmedBehind = async (
  { call, eventsLength }: OpenCall,
  stream: string,
  position: string,
  entries: readonly Entry[],
): Answer<boolean> => {
  if (!isBetween(position)) return ok(true);
  const begins =
    position === BEGINNING ? ok(entries) : await read(call, 'xrange', stream, '-', '+', 1);
  if (begins.isErr()) return err(begins.error);
  const [first] = begins.value;
  if (first !== undefined && !isAfter(first.id, position)) return ok(false);
  // An untrimmed stream begins with the first change of a session.
  if (first !== undefined && decodeEvent(first.id, first.text)?.sequence !== 1) return ok(true);
  return ok(await hasLostEntries(call, stream, Number(eventsLength)));
};

/**
 * One stream per partition, trimmed to about a number of events. The script of a change writes its
 * event.
 */
export class RedisEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #deployment: Deployment;
  /** Notifies a listener of new events, if the host has provided a connection for it. */
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

  streams(): readonly string[] {
    const { keys } = this.#deployment;
    if (this.listen === undefined) return [];
    return keys.partitions.map((partition) => keys.ofPartition(partition, 'events'));
  }

  async latest(stream: string): Answer<string> {
    return this.#run(async ({ call }) => {
      const last = await read(call, 'xrevrange', stream, '+', '-', 1);
      return last.map(([entry]) => entry?.id ?? BEGINNING);
    });
  }

  /** Uses a script, because a cluster would send the command to any of its servers. */
  async now(stream: string): Answer<number> {
    return this.#run(async ({ call }) => {
      const time = await call.readScript(timeScript, [stream], [], asCount);
      return time.mapErr(({ error }) => error);
    });
  }

  #run<T>(work: (open: OpenCall) => Answer<T>): Answer<T> {
    return this.#deployment.run(async (open) =>
      open.eventsLength === '' ? err(noEvents) : work(open),
    );
  }

  /**
   * Also reads the entry at the position. If it is gone, later entries may be gone too: the stream
   * was trimmed, or the server restored from older data.
   */
  async read(stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage> {
    return this.#run(async (open) => {
      const from = /^\d+-\d+$/.test(position) ? position : BEGINNING;
      const found = await read(open.call, 'xrange', stream, from, '+', limit + 1);
      if (found.isErr()) return err(found.error);
      const entries = found.value;
      const isThere = entries[0]?.id === from;
      const isTrimmed = isThere ? ok(false) : await isTrimmedBehind(open, stream, from, entries);
      if (isTrimmed.isErr()) return err(isTrimmed.error);
      const fresh = isThere ? entries.slice(1) : entries.slice(0, limit);
      const last = fresh.at(-1)?.id ?? (isTrimmed.value ? await this.#endOf(stream, from) : from);
      return ok({ events: eventsIn(fresh, of), position: last, isTrimmed: isTrimmed.value });
    });
  }

  async #endOf(stream: string, position: string): Promise<string> {
    const latest = (await this.latest(stream)).unwrapOr(BEGINNING);
    return latest === BEGINNING ? position : latest;
  }

  isClosed(): boolean {
    return this.#connection.isClosed;
  }
}
