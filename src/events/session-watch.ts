import { err, ok, type Result } from 'neverthrow';
import type { WatchSettings } from '../input/parse-watch.js';
import { notFound, type WatchError } from '../session/errors.js';
import {
  CLOCK_MARGIN_MS,
  type EventPosition,
  incarnationOf,
  positionBefore,
  positionOf,
  positionText,
  timeAt,
} from '../session/event-position.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionChange, SessionEvent } from '../session/session-event.js';
import type { SessionRecord } from '../session/session-record.js';
import { findSession } from '../store/find-session.js';
import type { ReadSize, SessionKey } from '../store/session-store.js';
import { Deadline, terminatedEventAt } from './deadline.js';
import { type EventReader, openReader, type ReaderItem } from './event-reader.js';
import { nowWithMargin } from './log-cursor.js';
import { DONE } from './safe-iterator.js';
import { safely } from './safely.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<SessionChange, WatchError>;

/**
 * Maximum number of other sessions' events that a watcher reads to catch up: `resumed` for a watch with `from`, which
 * any client can start as often as it likes, and `live` otherwise. A watcher that is further behind receives a
 * snapshot.
 */
const MAX_OTHER_EVENTS = { resumed: 1000, live: 10_000 };

/** Milliseconds before a failed read of the session or of the clock is retried. */
const RETRY_MS = 1000;

const isLastItem = (change: SessionChange): boolean =>
  change.type === 'session.snapshot'
    ? change.session.status === 'TERMINATED'
    : change.type === 'session.terminated' || change.type === 'session.deleted';

/**
 * Watches one session, from now or from a position, until it has ended or is deleted. Between two items it holds no
 * session data, so many watchers can wait for a long time.
 */
export class SessionWatch implements AsyncIterator<Item, void> {
  readonly #source: WatchSource;
  readonly #key: SessionKey;
  readonly #options: WatchSettings;
  readonly #deadline: Deadline;
  #reader: EventReader | undefined;
  /** The last change that the watcher knows. A later session with the same id has a different incarnation. */
  #incarnation = '';
  #sequence = 0;
  #position = '';
  /** The change up to which the log is read, until it is delivered. */
  #target: number | undefined;
  #needsSnapshot = false;
  /** Whether the state has changed since the deadline was read. */
  #isDeadlineOld = false;
  #hasDelivered = false;
  #isOver = false;

  constructor(source: WatchSource, key: SessionKey, how: WatchSettings) {
    this.#source = source;
    this.#key = key;
    this.#options = how;
    this.#deadline = new Deadline(how.warnBeforeMs);
  }

  async next(): Promise<IteratorResult<Item, void>> {
    if (this.#isOver) return DONE;
    const item = this.#reader === undefined ? await this.#open() : await this.#nextItem(this.#reader);
    if (item === undefined || item.isErr() || isLastItem(item.value)) this.#close();
    if (item === undefined) return DONE;
    this.#hasDelivered = true;
    if (item.isOk()) this.#position = item.value.position;
    return { done: false, value: item };
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#close();
    return DONE;
  }

  #close(): void {
    this.#isOver = true;
    this.#reader?.end();
  }

  async #open(): Promise<Item | undefined> {
    const { from, signal, onOpen } = this.#options;
    const scope = { tenant: this.#key.tenant, sessionId: this.#key.id };
    const maxOthers = MAX_OTHER_EVENTS[from === undefined ? 'live' : 'resumed'];
    const opened = await openReader(this.#source, { scope, signal, maxOthers });
    if (opened.isErr()) return err(opened.error);
    const reader = opened.value;
    this.#reader = reader;
    if (this.#isOver) reader.end();
    if (reader.isClosed) return undefined;
    const found = await this.#find(from === undefined ? this.#options.size : { historyLimit: 0 });
    if (found.isErr()) return err(found.error);
    if (reader.isClosed) return undefined;
    const record = found.value;
    // The log is not read for a missing session, because any client could cause such reads.
    if (record === undefined) return err(notFound(this.#key.id));
    onOpen();
    if (from === undefined) return this.#snapshotOf(record);
    this.#resume(reader, from, record);
    return this.#nextItem(reader);
  }

  /** Continues after a position. Reads the log if the session has changed since. */
  #resume(reader: EventReader, from: EventPosition, record: SessionRecord): void {
    const created = Date.parse(record.head.createdAt);
    const isBeginning = from.ms === 0;
    const { incarnation = record.incarnation, sequence } = isBeginning ? { sequence: 0 } : from;
    const isSame =
      incarnation === record.incarnation && (isBeginning || from.incarnation !== undefined || created < from.ms);
    this.#incarnation = incarnation;
    this.#sequence = sequence ?? 0;
    this.#position = positionText(from);
    this.#deadline.update(record.state);
    if (sequence === undefined) {
      this.#needsSnapshot = true;
    } else if (isSame && sequence >= record.sequence) {
      this.#needsSnapshot = record.state.status === 'TERMINATED' || sequence > record.sequence;
    } else {
      // If the position is from an earlier session with the same id, only the deletion is left to deliver.
      this.#target = isSame ? record.sequence : Number.POSITIVE_INFINITY;
      reader.readLog(positionBefore(isBeginning ? created - CLOCK_MARGIN_MS : from.ms));
    }
  }

  async #nextItem(reader: EventReader): Promise<Item | undefined> {
    while (!reader.isClosed) {
      if (reader.isCaughtUp && this.#target !== undefined) this.#needsSnapshot = true;
      const item = this.#needsSnapshot ? await this.#readSnapshot(reader) : await this.#checkClock(reader);
      if (item !== undefined) return item;
      const next = this.#needsSnapshot ? undefined : await this.#wait(reader);
      if (next === undefined) continue;
      if (next.isErr()) return err(next.error);
      const event = this.#nextEvent(next.value);
      if (event !== undefined) return this.#deliver(event);
    }
    return undefined;
  }

  /** The item if it is the next event of the session. Undefined if it was seen before, or a snapshot must be read. */
  #nextEvent(item: ReaderItem): SessionEvent | undefined {
    if (item === 'gap') {
      // Until the watch has caught up, the sequences show what is missing.
      this.#needsSnapshot ||= this.#target === undefined;
      return undefined;
    }
    const isNew = incarnationOf(item.id) === this.#incarnation && item.sequence > this.#sequence;
    this.#needsSnapshot ||= isNew && item.sequence > this.#sequence + 1;
    return isNew && !this.#needsSnapshot ? item : undefined;
  }

  async #readSnapshot(reader: EventReader): Promise<Item | undefined> {
    // Every change whose event was logged by now is in the snapshot.
    reader.skip();
    const found = await this.#find(this.#options.size);
    if (found.isErr()) return this.#rideOut(reader, found.error);
    if (this.#source.now().isErr()) return this.#retryLater(reader);
    if (found.value !== undefined) return this.#snapshotOf(found.value);
    if (!this.#hasDelivered) return err(notFound(this.#key.id));
    reader.end();
    return undefined;
  }

  /** Handles what happens without an event, once all logged events are delivered: the deadline and the warning. */
  async #checkClock(reader: EventReader): Promise<Item | undefined> {
    if (!reader.isCaughtUp) return undefined;
    const now = this.#source.now().unwrapOr(0);
    if (this.#isDeadlineOld || this.#deadline.hasPassed(now) || this.#deadline.isInDoubt(now)) {
      const found = await this.#find({ historyLimit: 0 });
      if (found.isErr()) return this.#rideOut(reader, found.error);
      const record = found.value?.incarnation === this.#incarnation ? found.value : undefined;
      this.#deadline.update(record?.state);
      this.#isDeadlineOld = false;
      const end = record && terminatedEventAt(this.#key, record, now, String(nowWithMargin()));
      if (end?.sequence === this.#sequence + 1) return this.#deliver(end);
      if (end !== undefined) {
        // The end follows the changes before it.
        this.#target = end.sequence - 1;
        reader.readAhead();
        return undefined;
      }
    }
    const warning = this.#deadline.warning(this.#key, now, this.#position);
    return warning === undefined ? undefined : ok(warning);
  }

  /** Waits until the session can be read again. An outage does not end the watch; only a closed client does. */
  async #rideOut(reader: EventReader, error: WatchError): Promise<Item | undefined> {
    if (error.type !== 'store_unavailable' || this.#isStoreClosed) return err(error);
    return this.#retryLater(reader);
  }

  /**
   * Waits by the machine's time, because an outage ends by that, or by the clock of the service, which a test may
   * advance.
   */
  async #retryLater(reader: EventReader): Promise<undefined> {
    const cancel = this.#source.after(RETRY_MS, () => reader.wake());
    await reader.wait(RETRY_MS);
    cancel();
  }

  get #isStoreClosed(): boolean {
    try {
      return this.#source.store.events?.isClosed?.() === true;
    } catch {
      return false;
    }
  }

  async #find(size: ReadSize): Promise<Result<SessionRecord | undefined, WatchError>> {
    const { store, hub } = this.#source;
    return safely(() => (hub === undefined ? findSession(store, this.#key, size) : hub.find(store, this.#key, size)));
  }

  /** Waits for the next item, until the next deadline by the clock of the service. */
  async #wait(reader: EventReader): Promise<Result<ReaderItem, WatchError> | undefined> {
    const now = this.#source.now();
    if (now.isErr()) return reader.next(RETRY_MS);
    const { nextAt } = this.#deadline;
    if (this.#isDeadlineOld || nextAt <= now.value) return reader.next(0);
    if (nextAt === Number.POSITIVE_INFINITY) return reader.next(nextAt);
    const cancel = this.#source.after(nextAt - now.value, () => reader.wake());
    const item = await reader.next(Number.POSITIVE_INFINITY);
    cancel();
    return item;
  }

  #deliver(event: SessionEvent): Item {
    this.#sequence = event.sequence;
    if (this.#target !== undefined && event.sequence >= this.#target) this.#target = undefined;
    this.#isDeadlineOld ||= event.type !== 'session.appended';
    return ok({ ...event, position: positionOf(timeAt(event.position), event) });
  }

  #snapshotOf(record: SessionRecord): Item {
    const { incarnation, sequence, state } = record;
    this.#incarnation = incarnation;
    this.#sequence = sequence;
    this.#target = undefined;
    this.#needsSnapshot = false;
    this.#isDeadlineOld = false;
    this.#deadline.update(state);
    const position = positionOf(nowWithMargin(), { id: `${incarnation}.${sequence}`, sequence });
    return this.#source.now().map((now) => {
      return { type: 'session.snapshot', session: sessionAt(record, now), sequence, position };
    });
  }
}
