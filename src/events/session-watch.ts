import { err, ok, type Result } from 'neverthrow';
import type { SessionWatchSettings } from '../input/parse-watch.js';
import { notFound, type WatchError } from '../session/errors.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionChange, SessionExpiring } from '../session/session-event.js';
import { cursorText, type WatchCursor } from '../session/watch-cursor.js';
import type { SessionKey } from '../store/session-store.js';
import { Deadline } from './deadline.js';
import { isLogClosed } from './is-log-closed.js';
import { DONE } from './safe-iterator.js';
import { type Changes, SessionReader, SessionReads, type Snapshot } from './session-reader.js';
import { openWakes, type Wakes } from './wakes.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<SessionChange, WatchError>;

/** Milliseconds between two reads although nothing has woken the watch: an event may have been lost. */
const LOOK_MS = 30_000;

/** Milliseconds before a failed read is made again. */
const RETRY_MS = 1000;

/**
 * When a session is read at the latest after `now`. The watches of one session look at the same time and share the read;
 * those of others look at other times.
 */
const nextLook = (id: string, now: number): number => {
  let phase = 0;
  for (let at = 0; at < id.length; at += 1) phase = (phase * 31 + id.charCodeAt(at)) % LOOK_MS;
  return now + LOOK_MS - ((now + phase) % LOOK_MS);
};

/** How far an item tells, and where the watch continues after it. */
const placeOf = ({ record, cursor }: Snapshot) => ({
  sequence: record.sequence,
  position: record.historyPosition,
  cursor: cursorText(cursor),
});

const isLast = (change: SessionChange): boolean => {
  if (change.type === 'session.deleted') return true;
  return change.type !== 'session.expiring' && change.session.status === 'TERMINATED';
};

/**
 * Watches one session until it has ended or is deleted. The log of events only wakes the watch; what it tells comes
 * from the record and the history, so a wake that is wrong, late or doubled changes nothing. Between two items it holds
 * a cursor and the last state, so many watches can wait for a long time.
 */
export class SessionWatch implements AsyncIterator<Item, void> {
  readonly #source: WatchSource;
  readonly #key: SessionKey;
  readonly #options: SessionWatchSettings;
  readonly #deadline: Deadline;
  readonly #reader: SessionReader;
  #wakes: Wakes | undefined;
  #cursor: WatchCursor | undefined;
  /** When the session is read at the latest, in milliseconds since the epoch. */
  #lookAt = 0;
  /** Whether the read after a wake has failed. */
  #isOwed = false;
  #isOver = false;

  constructor(source: WatchSource, key: SessionKey, options: SessionWatchSettings) {
    this.#source = source;
    this.#key = key;
    this.#options = options;
    this.#deadline = new Deadline(options.warnBeforeMs);
    this.#reader = new SessionReader(source.store, key, source.hub?.reads ?? new SessionReads());
    this.#cursor = options.from;
  }

  async next(): Promise<IteratorResult<Item, void>> {
    if (this.#isOver) return DONE;
    const item = this.#wakes === undefined ? await this.#open() : await this.#nextItem(this.#wakes);
    if (item === undefined || item.isErr() || isLast(item.value)) this.#close();
    return item === undefined ? DONE : { done: false, value: item };
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
    const first = await this.#read(time.value, true);
    if (wakes.isClosed) return undefined;
    if (first?.isOk() && first.value.type === 'session.deleted') return err(notFound(this.#key.id));
    if (!first?.isErr()) this.#options.onOpen();
    return first ?? this.#nextItem(wakes);
  }

  async #nextItem(wakes: Wakes): Promise<Item | undefined> {
    while (!wakes.isClosed) {
      if (wakes.error !== undefined) return err(wakes.error);
      const time = this.#source.now();
      const read = time.isOk() ? await this.#readIfDue(wakes, time.value) : undefined;
      if (read?.isOk()) return wakes.isClosed ? undefined : read;
      if (read?.isErr() && !this.#canRetry(read.error)) return read;
      const warning = time.isOk() ? this.#warning(time.value, read !== undefined) : undefined;
      if (warning !== undefined) return ok(warning);
      if (time.isErr() || read !== undefined) await wakes.pause(RETRY_MS);
      else await wakes.wait(Math.min(this.#deadline.nextAt, this.#lookAt) - time.value);
    }
    return undefined;
  }

  /** The next item, if the session must be read for one. */
  async #readIfDue(wakes: Wakes, now: number): Promise<Item | undefined> {
    const isWoken = wakes.take() || this.#isOwed;
    if (!isWoken && now < this.#lookAt && !this.#deadline.mustRead(now)) return undefined;
    const read = await this.#read(now, isWoken);
    this.#isOwed = isWoken && read?.isErr() === true;
    return read;
  }

  /** Reads the session. Undefined if there is nothing to tell. */
  async #read(now: number, mustCompare: boolean): Promise<Item | undefined> {
    const cursor = this.#cursor;
    const changes = cursor === undefined ? ok('other' as const) : await this.#reader.changes(cursor, now, mustCompare);
    if (changes.isErr()) return err(changes.error);
    if (changes.value === undefined) return ok(this.#deleted());
    if (changes.value !== 'other') return this.#changed(changes.value, now);
    const snapshot = await this.#reader.snapshot(this.#options.size, now);
    return snapshot.map((found) => (found === undefined ? this.#deleted() : this.#snapshot(found, now)));
  }

  #changed({ record, cursor, entries, hasChanged }: Changes, now: number): Item | undefined {
    this.#remember({ record, cursor }, now);
    const { history, ...session } = sessionAt(record, now);
    // A watch that continues after the end tells it again, because the end is the last item of each.
    if (!hasChanged && session.status !== 'TERMINATED') return undefined;
    return ok({
      type: 'session.changed',
      session,
      entries,
      ...placeOf({ record, cursor }),
    });
  }

  #snapshot({ record, cursor }: Snapshot, now: number): SessionChange {
    this.#remember({ record, cursor }, now);
    return { type: 'session.snapshot', session: sessionAt(record, now), ...placeOf({ record, cursor }) };
  }

  #deleted(): SessionChange {
    const { tenant, id: sessionId } = this.#key;
    return { type: 'session.deleted', tenant, sessionId, cursor: this.#cursorText };
  }

  #remember({ record, cursor }: Snapshot, now: number): void {
    this.#cursor = cursor;
    this.#deadline.update(record.state);
    this.#lookAt = nextLook(this.#key.id, now);
  }

  /** The warning, if it is due. In an outage, only if its time cannot have moved. */
  #warning(now: number, hasFailed: boolean): SessionExpiring | undefined {
    if (hasFailed && this.#deadline.mustRead(now)) return undefined;
    return this.#deadline.warning(this.#key, now, this.#cursorText);
  }

  get #cursorText(): string {
    return this.#cursor === undefined ? '' : cursorText(this.#cursor);
  }

  /** An outage does not end a watch; only a closed client does. */
  #canRetry(error: WatchError): boolean {
    return error.type === 'store_unavailable' && !isLogClosed(this.#source.store.events);
  }
}
