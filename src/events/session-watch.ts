import { err, ok, type Result } from 'neverthrow';
import { notFound, type WatchError } from '../errors.js';
import type { WatchSettings } from '../input/session-input.js';
import type { Settings } from '../service/settings.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionRecord } from '../session/session-record.js';
import { stateAt } from '../session/timeline.js';
import type { ReadSize, SessionKey } from '../store/session-store.js';
import { Deadline, terminatedEventAt } from './deadline.js';
import { EventOrder } from './event-order.js';
import { type EventReader, openReader, type ReaderItem } from './event-reader.js';
import {
  birthOf,
  CLOCK_MARGIN_MS,
  nowWithMargin,
  type Position,
  positionOf,
  positionText,
  timeAt,
} from './position.js';
import { DONE } from './safe-iterator.js';
import type { SessionChange, SessionEvent } from './session-event.js';

type Item = Result<SessionChange, WatchError>;

/**
 * Maximum number of other sessions' events that one catching-up watcher reads: with `from`, which any client of a host may
 * send as often as it likes, and otherwise. A watcher that is further behind receives a snapshot.
 */
const MAX_OTHER_EVENTS = { resumed: 1000, live: 10_000 };

/** Milliseconds before a failed read of the session or of the clock is retried. */
const RETRY_MS = 1000;

type CatchUpTarget = Pick<SessionRecord, 'birth' | 'sequence'> & { readonly hasEnded: boolean };

const isLastItem = (change: SessionChange): boolean =>
  change.type === 'session.snapshot'
    ? change.session.status === 'TERMINATED'
    : change.type === 'session.terminated' || change.type === 'session.deleted';

/**
 * Watches one session, from now or from a position, until it has ended or is deleted. Between two items it holds no
 * session data, so many watchers can wait for a long time.
 */
export class SessionWatch implements AsyncIterator<Item, void> {
  readonly #settings: Settings;
  readonly #key: SessionKey;
  readonly #options: WatchSettings;
  readonly #order = new EventOrder();
  readonly #deadline: Deadline;
  #reader: EventReader | undefined;
  /** All undelivered events were logged at this time or later, by the clock of the log. */
  #ms = nowWithMargin();
  #position = '';
  /** For a watch with `from`: the session when the watch began, until the watch has caught up with it. */
  #catchUpTarget: CatchUpTarget | undefined;
  /** Events of an earlier session with the same id are ignored. */
  #onlyBirth: string | undefined;
  #needsSnapshot = false;
  /** Whether the state has changed since the deadline was read. */
  #isDeadlineOld = false;
  /** Whether the session could not be read, and is to be read again in a while. */
  #isRetrying = false;
  /** The timer that ends the wait at the next deadline. */
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #isGone = false;
  #hasDelivered = false;
  #isOver = false;

  constructor(settings: Settings, key: SessionKey, how: WatchSettings) {
    this.#settings = settings;
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
    this.#timer?.cancel();
    this.#reader?.end();
  }

  async #open(): Promise<Item | undefined> {
    const { from, signal, onOpen } = this.#options;
    const opened = await openReader(this.#settings, this.#key.tenant, this.#key.id, signal);
    if (opened.isErr()) return err(opened.error);
    const reader = opened.value;
    this.#reader = reader;
    reader.limitOtherEvents(from === undefined ? MAX_OTHER_EVENTS.live : MAX_OTHER_EVENTS.resumed);
    if (this.#isOver) reader.end();
    if (reader.isClosed) return undefined;
    const found = await this.#find(from === undefined ? {} : { historyLimit: 0 });
    if (found.isErr()) return err(found.error);
    if (reader.isClosed) return undefined;
    const record = found.value;
    // The log is not read for a session that is not there: whoever asks for it would cost as much as they like.
    if (record === undefined) return err(notFound(this.#key.id));
    onOpen();
    if (from === undefined) return this.#snapshotOf(record);
    this.#resume(reader, from, record);
    return this.#nextItem(reader);
  }

  /** Continues after a position. Reads the log if the session has changed since. */
  #resume(reader: EventReader, from: Position, record: SessionRecord): void {
    const { id } = this.#key;
    const { ms, birth, sequence } = from;
    this.#ms = ms;
    this.#position = positionText(from);
    const { state } = record;
    const hasEnded = state.status === 'TERMINATED';
    const created = Date.parse(record.head.createdAt);
    this.#deadline.update(state);
    if (ms === 0) {
      this.#onlyBirth = record.birth;
      this.#order.reset(id, record.birth, 0);
    } else if (sequence !== undefined) {
      this.#order.reset(id, birth, sequence);
    }
    // A session that was created after the position is another session with the same id.
    const isSame = birth === undefined ? created < ms : birth === record.birth;
    if (isSame && sequence !== undefined && sequence >= record.sequence) {
      this.#needsSnapshot = hasEnded || sequence > record.sequence;
      return;
    }
    this.#catchUpTarget = { birth: record.birth, sequence: record.sequence, hasEnded };
    reader.readFrom({ ms: sequence === undefined || ms === 0 ? Math.max(ms, created - CLOCK_MARGIN_MS) : ms });
  }

  async #nextItem(reader: EventReader): Promise<Item | undefined> {
    while (!reader.isClosed) {
      const event = this.#needsSnapshot ? 'gap' : this.#order.next();
      if (event === 'gap') {
        const found = await this.#find({});
        this.#needsSnapshot = found.isErr();
        if (found.isErr() && !this.#isOutage(found.error)) return err(found.error);
        if (found.isOk() && found.value !== undefined) return this.#snapshotOf(found.value);
        // Only the deletion is left to deliver.
        this.#isGone = found.isOk();
        if (found.isOk()) continue;
      } else if (event !== undefined) {
        return this.#deliver(event);
      } else {
        const timed = reader.isCaughtUp ? await this.#checkDeadline() : 'nothing';
        if (timed === 'end') return undefined;
        if (timed === 'again') continue;
        if (timed !== 'nothing') return timed;
      }
      const item = await reader.next(this.#waitMs(reader));
      if (item === undefined) {
        this.#order.expire(performance.now());
        continue;
      }
      if (item.isErr()) return err(item.error);
      this.#take(item.value);
    }
    return undefined;
  }

  #take(item: ReaderItem): void {
    // If the watch has not caught up yet, or the session is gone, the sequences show what is missing.
    if (item === 'trimmed') this.#needsSnapshot ||= this.#catchUpTarget === undefined && !this.#isGone;
    else if (item === 'skipped') this.#needsSnapshot = true;
    else if (this.#onlyBirth === undefined || this.#onlyBirth === birthOf(item.id)) {
      this.#order.add(item, performance.now());
    }
  }

  /**
   * Handles what happens without an event, once all logged events are delivered: the deletion, the deadline and the
   * warning.
   */
  async #checkDeadline(): Promise<Item | 'nothing' | 'again' | 'end'> {
    if (this.#isGone) {
      if (this.#order.expiresAt < Number.POSITIVE_INFINITY) {
        this.#order.expire(Number.POSITIVE_INFINITY);
        return 'again';
      }
      return this.#hasDelivered ? 'end' : err(notFound(this.#key.id));
    }
    if (this.#catchUpTarget !== undefined) {
      this.#needsSnapshot = !this.#hasReached(this.#catchUpTarget);
      this.#catchUpTarget = undefined;
      if (this.#needsSnapshot) return 'again';
    }
    if (this.#isDeadlineOld) await this.#readDeadline();
    const now = this.#settings.now().unwrapOr(0);
    if (this.#deadline.hasPassed(now)) return this.#endByClock(now);
    const warning = this.#deadline.warning(this.#key, now, this.#position);
    return warning === undefined ? 'nothing' : ok(warning);
  }

  /** Whether the delivered events cover everything that the watch has missed. */
  #hasReached({ birth, sequence, hasEnded }: CatchUpTarget): boolean {
    const last = this.#order.lastOf(this.#key.id);
    if (hasEnded || last === undefined || (last.birth ?? birth) !== birth) return false;
    return this.#hasDelivered ? last.sequence >= sequence : last.sequence === sequence;
  }

  async #endByClock(now: number): Promise<Item | 'nothing' | 'again'> {
    const found = await this.#find({ historyLimit: 0 });
    if (found.isErr()) return this.#isOutage(found.error) ? 'nothing' : err(found.error);
    const record = found.value;
    this.#isGone = record === undefined;
    if (record === undefined) return 'again';
    this.#deadline.update(stateAt(record.state, now));
    const end = terminatedEventAt(this.#key, record, now, `${this.#ms}-0`);
    if (end !== undefined) this.#order.add(end, performance.now(), false);
    return 'again';
  }

  async #readDeadline(): Promise<void> {
    const { store, hub } = this.#settings;
    const state = await (hub === undefined ? store.findState(this.#key) : hub.findState(store, this.#key));
    if (state.isErr()) return;
    this.#isDeadlineOld = false;
    if (state.value !== undefined) this.#deadline.update(state.value);
  }

  /** Whether the session can be read again later: an outage ends no watch, only a client that was closed does. */
  #isOutage(error: WatchError): boolean {
    this.#isRetrying = error.type === 'store_unavailable' && this.#settings.store.events?.isClosed?.() !== true;
    return this.#isRetrying;
  }

  async #find(size: ReadSize): Promise<Result<SessionRecord | undefined, WatchError>> {
    const { store, hub } = this.#settings;
    return hub === undefined ? store.find(this.#key, size) : hub.find(store, this.#key, size);
  }

  /** How long to wait for the next item. The deadline ends the wait by the clock of the service. */
  #waitMs(reader: EventReader): number {
    const gapMs = this.#order.expiresAt - performance.now();
    const now = this.#settings.now();
    const { nextAt } = this.#deadline;
    if (this.#isRetrying || this.#isDeadlineOld || now.isErr()) {
      this.#isRetrying = false;
      return Math.min(gapMs, RETRY_MS);
    }
    if (nextAt <= now.value) return 0;
    if (this.#timer?.at !== nextAt) {
      this.#timer?.cancel();
      this.#timer = nextAt === Number.POSITIVE_INFINITY ? undefined : this.#timerAt(reader, nextAt, now.value);
    }
    return gapMs;
  }

  #timerAt(reader: EventReader, at: number, now: number): { readonly at: number; readonly cancel: () => void } {
    const cancel = this.#settings.after(at - now, () => {
      this.#timer = undefined;
      reader.wake();
    });
    return { at, cancel };
  }

  #deliver(event: SessionEvent): Item {
    if (event.type !== 'session.appended') this.#isDeadlineOld = true;
    this.#ms = timeAt(this.#order.earliestWaiting ?? this.#order.latest?.position ?? String(this.#ms));
    return ok({ ...event, position: positionOf(this.#ms, event) });
  }

  #snapshotOf(record: SessionRecord): Item {
    const { birth, sequence, state } = record;
    this.#deadline.update(state);
    this.#isDeadlineOld = false;
    this.#order.reset(this.#key.id, birth, sequence);
    const waiting = this.#order.earliestWaiting;
    this.#ms = Math.min(nowWithMargin(), waiting === undefined ? Number.POSITIVE_INFINITY : timeAt(waiting));
    const position = positionOf(this.#ms, { id: `${birth}.${sequence}`, sequence });
    return this.#settings.now().map((now) => {
      return { type: 'session.snapshot', session: sessionAt(record, now), sequence, position };
    });
  }
}
