import { err, ok, type Result } from 'neverthrow';
import type { SessionWatchSettings } from '../input/watch-options.js';
import { timestampOf } from '../session/clock.js';
import { notFound, type StoreError } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionChange } from '../session/session-event.js';
import type { SessionKey } from '../store/session-store.js';
import { Deadline } from './deadline.js';
import { DONE } from './safe-iterator.js';
import { isLogClosed } from './safely.js';
import type { Reading } from './session-reader.js';
import { TICK_MS } from './timers.js';
import { openWakes, type Wakes } from './wakes.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<SessionChange, OperationErrors['watch']>;

/**
 * Milliseconds between two reads although nothing has woken the watch: an event may have been lost.
 */
const LOOK_MS = 30_000;

const RETRY_MS = 1000;

/**
 * When a session is read at the latest after `now`. The watches of one session look at the same
 * time and share the read; the watches of other sessions look at other seconds.
 */
const nextLook = (id: string, now: number): number => {
  let phase = 0;
  for (let at = 0; at < id.length; at += 1) phase = (phase * 31 + id.charCodeAt(at)) % LOOK_MS;
  phase -= phase % TICK_MS;
  return now + LOOK_MS - ((now + phase) % LOOK_MS);
};

const isLast = (change: SessionChange): boolean => {
  if (change.type === 'session.deleted') return true;
  return change.type !== 'session.expiring' && change.session.status === 'TERMINATED';
};

/**
 * Watches one session until it has ended or is deleted. The log of events only wakes the watch; its
 * items come from the record and the history, so a wake that is wrong, late or repeated changes
 * nothing. Between two items it holds little more than a cursor, so many watches can wait for a
 * long time.
 */
export class SessionWatch implements AsyncIterator<Item, void> {
  readonly #source: WatchSource;
  readonly #key: SessionKey;
  readonly #options: SessionWatchSettings;
  readonly #deadline: Deadline;
  #wakes: Wakes | undefined;
  #cursor: string | undefined;
  /** When the session is read at the latest, in milliseconds since the epoch. */
  #lookAt = 0;
  /** Whether the watch was woken, and has not read since. */
  #isOwed = true;
  #isOver = false;

  constructor(source: WatchSource, key: SessionKey, options: SessionWatchSettings) {
    this.#source = source;
    this.#key = key;
    this.#options = options;
    this.#deadline = new Deadline(options);
    this.#cursor = options.cursor;
  }

  async next(): Promise<IteratorResult<Item, void>> {
    const value = await this.#nextItem();
    if (value === undefined || value.isErr() || isLast(value.value)) this.#close();
    if (value === undefined) return DONE;
    return { done: false, value };
  }

  async #nextItem(): Promise<Item | undefined> {
    const isNew = this.#wakes === undefined && !this.#isOver;
    let item = isNew ? await this.#open() : undefined;
    while (item === undefined && this.#wakes?.isClosed === false)
      item = await this.#step(this.#wakes);
    return item;
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#close();
    return DONE;
  }

  #close(): void {
    this.#isOver = true;
    this.#wakes?.end();
  }

  /** An error of the first read ends the watch; later reads are made again. */
  async #open(): Promise<Item | undefined> {
    const scope = { tenant: this.#key.tenant, sessionId: this.#key.id };
    const opened = await openWakes(this.#source, scope, this.#options.signal);
    if (opened.isErr()) return err(opened.error);
    const wakes = opened.value;
    this.#wakes = wakes;
    if (this.#isOver) wakes.end();
    const time = this.#source.now();
    if (time.isErr()) return err(time.error);
    wakes.take();
    const read = await this.#read(wakes, time.value);
    if (wakes.isClosed) return undefined;
    if (read.isErr()) return err(read.error);
    if (read.value === undefined) return err(notFound(this.#key.id));
    this.#options.onOpen();
    return read.value.change && ok(read.value.change);
  }

  #step(wakes: Wakes): Promise<Item | undefined> | Item | undefined {
    if (wakes.error !== undefined) return err(wakes.error);
    const time = this.#source.now();
    if (time.isErr()) return wakes.pause(RETRY_MS);
    const now = time.value;
    this.#isOwed = wakes.take() || this.#isOwed;
    const isDue = this.#isOwed || now >= this.#lookAt || this.#deadline.mustRead(now);
    if (isDue) return this.#readItem(wakes, now);
    return this.#warning(now) ?? wakes.waitUntil(now, this.#deadline.nextAt, this.#lookAt);
  }

  async #readItem(wakes: Wakes, now: number): Promise<Item | undefined> {
    const read = await this.#read(wakes, now);
    if (wakes.isClosed) return undefined;
    if (read.isErr() && this.#canRetry(read.error)) return this.#inOutage(wakes, now);
    if (read.isErr()) return err(read.error);
    if (read.value === undefined) return ok(this.#deleted());
    if (read.value.change !== undefined) return ok(read.value.change);
    // A warning that is due has made the read necessary, if its time may have moved.
    return this.#warning(now);
  }

  async #read({ hub }: Wakes, now: number): Promise<Result<Reading | undefined, StoreError>> {
    const mustCompare = this.#isOwed;
    this.#isOwed = true;
    const read = await hub.sessions.read({
      key: this.#key,
      cursor: this.#cursor,
      historyLimit: this.#options.historyLimit,
      mustCompare,
      isWithLeases: this.#options.leases,
    });
    if (read.isErr()) return read;
    this.#isOwed = false;
    if (read.value === undefined) return read;
    this.#cursor = read.value.cursor;
    this.#deadline.update(read.value.expiry, read.value.budget);
    this.#lookAt = nextLook(this.#key.id, now);
    return read;
  }

  #deleted(): SessionChange {
    const { tenant, id: sessionId } = this.#key;
    return { type: 'session.deleted', tenant, sessionId, cursor: this.#cursor ?? '' };
  }

  #warning(now: number): Item | undefined {
    const reason = this.#deadline.warning(now);
    if (reason === undefined) return undefined;
    const { tenant, id: sessionId } = this.#key;
    const base = { type: 'session.expiring', tenant, sessionId, at: timestampOf(now) } as const;
    return ok({ ...base, ...reason, cursor: this.#cursor ?? '' });
  }

  /** The warning, unless its time may have moved; or a wait before the next read. */
  async #inOutage(wakes: Wakes, now: number): Promise<Item | undefined> {
    if (this.#deadline.mustRead(now)) return wakes.pause(RETRY_MS);
    return this.#warning(now) ?? wakes.pause(RETRY_MS);
  }

  /** An outage does not end a watch; only a closed client does. */
  #canRetry(error: OperationErrors['watch']): boolean {
    return error.type === 'store_unavailable' && !isLogClosed(this.#source.store.events);
  }
}
