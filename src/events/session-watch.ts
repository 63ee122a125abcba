import { err, ok, type Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import { notFound } from '../errors.js';
import type { WatchSettings } from '../input/session-input.js';
import type { Settings } from '../service/settings.js';
import type { SessionRecord } from '../session/record.js';
import { sessionAt } from '../session/timeline.js';
import type { SessionKey } from '../store.js';
import type { SessionChange, SessionEvent } from './event.js';
import { CLOCK_MARGIN_MS, type Position, positionNow, positionOf } from './position.js';
import { over } from './safely.js';
import { missed, type Open, subscribe } from './subscription.js';

type Item = Result<SessionChange, WatchError>;

/**
 * So many events of others are looked at for one watcher that comes back, which takes some milliseconds. What is further
 * back than that it gets as a snapshot.
 */
const MOST_OF_OTHERS = 10_000;

const isEnd = (change: SessionChange): boolean =>
  change.type === 'session.snapshot'
    ? change.session.status === 'TERMINATED'
    : change.type === 'session.terminated' || change.type === 'session.deleted';

const told = (event: SessionEvent): Item => ok({ ...event, position: positionOf(event) });

const birthOf = (id: string): string => id.slice(0, id.indexOf('.'));

/** What a watcher has seen of its session: told twice is not told, and a number that is left out is missed. */
class Seen {
  #birth: string | undefined;
  #sequence: number | undefined;

  /** The number of the last change that is known; nothing where none is. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Begins anew behind a change; the id of its event tells apart sessions that had the same id one after another. */
  reset(sequence: number | undefined, eventId?: string): void {
    this.#birth = eventId === undefined ? undefined : birthOf(eventId);
    this.#sequence = sequence;
  }

  /** Whether an event is `new`, was seen (`old`), or others are missing before it. */
  judge(event: SessionEvent): 'new' | 'old' | 'gap' {
    const birth = birthOf(event.id);
    const isAnother = this.#birth !== undefined && this.#birth !== birth;
    this.#birth = birth;
    const last = isAnother ? 0 : this.#sequence;
    if (last !== undefined && event.sequence <= last) return 'old';
    const isGap = last !== undefined && event.sequence > last + 1;
    if (!isGap) this.#sequence = event.sequence;
    return isGap ? 'gap' : 'new';
  }
}

/**
 * What a session does, from what it is now, or from a position on, until it has ended or is gone. Between two items it
 * holds nothing of the session, however large that is: many may watch, and wait for long.
 */
export class SessionWatch implements AsyncIterator<Item, void> {
  readonly #settings: Settings;
  readonly #key: SessionKey;
  readonly #how: WatchSettings;
  readonly #seen = new Seen();
  #open: Open | undefined;
  #missed: ReturnType<typeof missed> | undefined;
  /** The number of the last change when the watch began; nothing where the session is gone. */
  #begunAt: number | undefined;
  /** Whether the session had ended when the watch began. */
  #hasEnded = false;
  #hasTold = false;
  #mustLook = false;
  #isOver = false;
  /** When the clock ends the session; another time after each change of its state. */
  #deadline = Number.POSITIVE_INFINITY;
  #isDeadlineOld = false;

  constructor(settings: Settings, key: SessionKey, how: WatchSettings) {
    this.#settings = settings;
    this.#key = key;
    this.#how = how;
  }

  async next(): Promise<IteratorResult<Item, void>> {
    if (this.#isOver) return over;
    const item = this.#open === undefined ? await this.#begin() : await this.#goOn(this.#open);
    if (item === undefined || item.isErr() || isEnd(item.value)) this.#close();
    if (item === undefined) return over;
    this.#hasTold = true;
    return { done: false, value: item };
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#close();
    return over;
  }

  #close(): void {
    this.#isOver = true;
    this.#missed = undefined;
    this.#open?.end();
  }

  async #begin(): Promise<Item | undefined> {
    const { from, signal, onOpen } = this.#how;
    const opened = await subscribe(this.#settings, this.#key.tenant, this.#key.id, signal);
    if (opened.isErr()) return err(opened.error);
    this.#open = opened.value;
    if (this.#isOver) this.#close();
    if (this.#open.inbox.isClosed) return undefined;
    const found = await this.#find();
    if (found.isErr()) return err(found.error);
    if (this.#open.inbox.isClosed) return undefined;
    if (found.value !== undefined) onOpen();
    if (from !== undefined) {
      this.#resume(from, found.value);
      return this.#goOn(opened.value);
    }
    return found.value === undefined ? err(notFound(this.#key.id)) : this.#snapshotOf(found.value);
  }

  /** Finds out whether anything was missed since a position. */
  #resume(from: Position, record: SessionRecord | undefined): void {
    const { sequence, eventId, ms } = from;
    this.#seen.reset(sequence, eventId);
    const created = record === undefined ? Number.NEGATIVE_INFINITY : Date.parse(record.head.createdAt);
    if (record !== undefined) {
      this.#begunAt = record.sequence;
      this.#hasEnded = record.state.status === 'TERMINATED';
      if (!this.#hasEnded) this.#deadline = record.state.deadline;
      // One that was created after the position may be another session of the same id.
      if (sequence !== undefined && sequence >= record.sequence && created < ms) {
        this.#mustLook = this.#hasEnded || sequence > record.sequence;
        return;
      }
    }
    const since = sequence === undefined ? Math.max(ms, created - CLOCK_MARGIN_MS) : ms;
    if (this.#open !== undefined) this.#missed = missed(this.#open, { ms: since, eventId }, MOST_OF_OTHERS);
  }

  async #goOn(open: Open): Promise<Item | undefined> {
    if (this.#missed !== undefined) {
      const item = await this.#catchUp(this.#missed);
      if (item !== undefined) return item;
      this.#missed = undefined;
      const isGone = this.#begunAt === undefined;
      if (isGone) return this.#hasTold || open.inbox.isClosed ? undefined : err(notFound(this.#key.id));
    }
    return this.#follow(open);
  }

  /** The next event that the watcher was away for; nothing behind the last one. */
  async #catchUp(events: ReturnType<typeof missed>): Promise<Item | undefined> {
    for (let isLost = false; ; ) {
      const { done, value } = await events.next();
      if (done) {
        const { sequence = 0 } = this.#seen;
        const begunAt = this.#begunAt ?? 0;
        const isWhole = this.#hasTold ? sequence >= begunAt : value && !isLost && sequence === begunAt;
        this.#mustLook = this.#hasEnded || !isWhole;
        return undefined;
      }
      if (value.isErr()) return err(value.error);
      if (value.value === 'lost') {
        isLost = true;
        continue;
      }
      const judged = this.#seen.judge(value.value);
      if (judged === 'new') return told(value.value);
      if (judged === 'gap') {
        this.#mustLook = true;
        return undefined;
      }
    }
  }

  async #follow({ inbox }: Open): Promise<Item | undefined> {
    while (!inbox.isClosed) {
      if (this.#isDeadlineOld) await this.#readDeadline();
      const now = this.#settings.now().unwrapOr(0);
      if (inbox.hasMissed() || this.#mustLook || now >= this.#deadline) return this.#look();
      const event = inbox.next();
      if (event === undefined) {
        await inbox.wait(this.#deadline - now);
        continue;
      }
      const judged = this.#seen.judge(event);
      this.#mustLook = judged === 'gap';
      if (judged !== 'new') continue;
      this.#isDeadlineOld = event.type !== 'session.appended';
      return told(event);
    }
    return undefined;
  }

  /** The session as it is now; that it has gone is no error but the end. */
  async #look(): Promise<Item | undefined> {
    this.#mustLook = false;
    const found = await this.#find();
    if (found.isErr()) return err(found.error);
    return found.value && this.#snapshotOf(found.value);
  }

  async #readDeadline(): Promise<void> {
    this.#isDeadlineOld = false;
    const state = await this.#settings.store.findState(this.#key);
    if (state.isOk() && state.value !== undefined) this.#deadline = state.value.deadline;
  }

  async #find(): Promise<Result<SessionRecord | undefined, WatchError>> {
    const { store, hub } = this.#settings;
    return hub === undefined ? store.find(this.#key) : hub.find(store, this.#key);
  }

  #snapshotOf(record: SessionRecord): Item {
    const { state, sequence } = record;
    this.#deadline = state.status === 'TERMINATED' ? Number.POSITIVE_INFINITY : state.deadline;
    this.#seen.reset(sequence);
    return this.#settings.now().map((now) => {
      const session = sessionAt(record, now);
      return { type: 'session.snapshot', session, sequence, position: positionNow(sequence) };
    });
  }
}
