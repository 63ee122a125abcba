import { err, ok, Result } from 'neverthrow';
import type { TenantWatchSettings } from '../input/parse-watch.js';
import type { StoreError } from '../session/errors.js';
import {
  type EventPosition,
  incarnationOf,
  isAfter,
  positionBefore,
  timeAt,
} from '../session/event-position.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { EventsLost, SessionEvent, TenantChange } from '../session/session-event.js';
import { LogCursor, type LogPage, nowWithMargin, positionNow } from './log-cursor.js';
import { openWakes, type Wakes } from './wakes.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<TenantChange, OperationErrors['watchAll']>;

/** Milliseconds before a failed read is made again. */
const RETRY_MS = 100;

/** Maximum number of events whose sessions and entries are read at the same time. */
const AT_ONCE = 16;

/**
 * How much of the time since the call is subtracted twice, because two clocks run at slightly
 * different speeds.
 */
const DRIFT = 0.001;

/**
 * The position of the log to begin after: that of a cursor, or that at the time of the call, by
 * `performance.now()`, or slightly before.
 */
const beginningOf = async (
  source: WatchSource,
  cursor: EventPosition | undefined,
  calledAt: number,
): Promise<Result<string, StoreError>> => {
  if (cursor !== undefined) return ok(positionBefore(cursor.ms));
  const now = await positionNow(source);
  const elapsed = (performance.now() - calledAt) * (1 + DRIFT);
  return now.map((ms) => positionBefore(Math.floor(Number(ms) - elapsed) - 1));
};

/** The events that only watches with `leases` tell. */
const quiet: ReadonlySet<SessionEvent['type']> = new Set([
  'session.leased',
  'session.released',
  'session.woken',
]);

const lostAt = (ms: number): EventsLost => ({ type: 'events_lost', cursor: String(ms) });

/**
 * Maximum number of sessions, at about 150 bytes each. Above it, the one with the oldest event is
 * forgotten.
 */
const MAX_SESSIONS = 10_000;

interface LastChange {
  readonly sequence: number;
  readonly position: string;
  /** Number of gaps in the log before the event. */
  readonly gaps: number;
}

/** The last change of each session that a watcher knows. */
export class LastChanges {
  readonly #known = new Map<string, LastChange>();
  #gaps = 0;

  /**
   * Whether the event is the `next` one of its session, was `seen` before, or comes after a `gap`
   * in its session.
   */
  add({ id, sessionId, sequence, position }: SessionEvent): 'next' | 'seen' | 'gap' {
    const key = `${incarnationOf(id)}/${sessionId}`;
    const last = this.#known.get(key);
    if (last !== undefined && this.#isSeen(last, sequence, position)) return 'seen';
    this.#known.delete(key);
    this.#known.set(key, { sequence, position, gaps: this.#gaps });
    if (this.#known.size > MAX_SESSIONS) {
      const [first] = this.#known.keys();
      if (first !== undefined) this.#known.delete(first);
    }
    const isFirst = last === undefined || last.gaps < this.#gaps;
    return isFirst || sequence === last.sequence + 1 ? 'next' : 'gap';
  }

  /** Takes the next event of any session as it comes, after a gap in the log. */
  passGap(): void {
    this.#gaps += 1;
  }

  /**
   * After a gap, a lower number alone does not tell: a database that was restored from an older
   * copy uses numbers again, at later positions. An event that comes twice has its old position.
   */
  #isSeen(last: LastChange, sequence: number, position: string): boolean {
    if (sequence > last.sequence) return false;
    return last.gaps === this.#gaps || !isAfter(position, last.position);
  }
}

/** The changes in the pages of the log, each once. */
class TenantChanges {
  readonly #last = new LastChanges();
  readonly #tenant: string;
  readonly #isWithLeases: boolean;
  /** The event to start after, until it is found. */
  #known: EventPosition | undefined;
  /** Whether events are missing before the next one. */
  #isLost = false;

  constructor(tenant: string, { cursor, leases }: TenantWatchSettings) {
    this.#tenant = tenant;
    this.#isWithLeases = leases;
    if (cursor?.incarnation !== undefined) this.#known = cursor;
  }

  *in({ events, hasMoved, isTrimmed }: LogPage): Generator<SessionEvent | EventsLost, void> {
    const own = events.filter(({ tenant }) => tenant === this.#tenant);
    if (this.#known === undefined) this.#isLost ||= isTrimmed;
    const fresh = this.#afterKnown(own);
    const [next] = fresh;
    if (this.#isLost && (next !== undefined || !hasMoved)) yield this.#lost(next);
    for (const event of fresh) {
      const order = this.#last.add(event);
      if (order === 'gap') yield lostAt(timeAt(event.position));
      if (order !== 'seen' && (this.#isWithLeases || !quiet.has(event.type))) yield event;
    }
  }

  #lost(next: SessionEvent | undefined): EventsLost {
    this.#isLost = false;
    this.#last.passGap();
    return lostAt(next === undefined ? nowWithMargin() : timeAt(next.position));
  }

  /**
   * If the known event is still there, none after it can be missing. After a restore of older data,
   * another event may have its id, at another time.
   */
  #afterKnown(own: readonly SessionEvent[]): readonly SessionEvent[] {
    if (this.#known === undefined) return own;
    const { ms, incarnation, sequence } = this.#known;
    const id = `${incarnation}.${sequence}`;
    const at = own.findIndex((event) => event.id === id && timeAt(event.position) === ms);
    this.#known = undefined;
    this.#isLost ||= at < 0;
    return own.slice(at + 1);
  }
}

/**
 * Some changes, with what the host asks for; none once the watch is over. In an outage, they are
 * read again.
 */
const readAll = async (
  wakes: Wakes,
  options: TenantWatchSettings,
  changes: readonly (SessionEvent | EventsLost)[],
): Promise<readonly TenantChange[]> => {
  while (!wakes.isClosed && wakes.error === undefined) {
    const read = Result.combine(
      await Promise.all(changes.map((change) => wakes.hub.events.read(change, options))),
    );
    if (read.isOk()) return read.value;
    await wakes.pause(RETRY_MS);
  }
  return [];
};

/**
 * Watches all sessions of a tenant, from the call or from a cursor, until the caller stops. Each
 * reads the log itself.
 */
export class TenantWatch implements AsyncIterator<Item, void> {
  readonly #source: WatchSource;
  readonly #options: TenantWatchSettings;
  readonly #items: AsyncGenerator<Item, void>;
  #wakes: Wakes | undefined;
  #isOver = false;

  constructor(source: WatchSource, options: TenantWatchSettings, calledAt: number) {
    this.#source = source;
    this.#options = options;
    this.#items = this.#watch(calledAt);
  }

  next(): Promise<IteratorResult<Item, void>> {
    return this.#items.next();
  }

  /** Ends the wait for the next item first: the generator would return only after it. */
  return(): Promise<IteratorResult<Item, void>> {
    this.#isOver = true;
    this.#wakes?.end();
    return this.#items.return();
  }

  async *#watch(calledAt: number): AsyncGenerator<Item, void> {
    const scope = { tenant: this.#source.tenant, sessionId: undefined };
    const opened = await openWakes(this.#source, scope, this.#options.signal);
    if (opened.isErr()) {
      yield err(opened.error);
      return;
    }
    const wakes = opened.value;
    this.#wakes = wakes;
    try {
      if (this.#isOver) return;
      yield* this.#changes(wakes, calledAt);
    } finally {
      wakes.end();
    }
  }

  async *#changes(wakes: Wakes, calledAt: number): AsyncGenerator<Item, void> {
    const beginning = await beginningOf(this.#source, this.#options.cursor, calledAt);
    if (beginning.isErr()) yield err(beginning.error);
    if (beginning.isErr() || wakes.isClosed) return;
    this.#options.onOpen();
    const { feed, hub } = wakes;
    const cursor = new LogCursor(feed.log, feed.stream, beginning.value, hub.logReads);
    const changes = new TenantChanges(this.#source.tenant, this.#options);
    while (!wakes.isClosed && wakes.error === undefined) {
      wakes.take();
      const page = await cursor.read(wakes.scope);
      if (page.isErr()) {
        await wakes.pause(RETRY_MS);
        continue;
      }
      const found = [...changes.in(page.value)];
      for (let at = 0; at < found.length; at += AT_ONCE) {
        const read = await readAll(wakes, this.#options, found.slice(at, at + AT_ONCE));
        for (const change of read) {
          if (wakes.isClosed) return;
          yield ok(change);
        }
      }
      if (!page.value.hasMoved) await wakes.wait();
    }
    if (!wakes.isClosed && wakes.error !== undefined) yield err(wakes.error);
  }
}
