import type { TenantWatchSettings } from '../input/watch-options.js';
import { type EventPosition, incarnationOf, isAfter, timeAt } from '../session/event-position.js';
import type { EventsLost, SessionEvent } from '../session/session-event.js';
import { type LogPage, nowWithMargin } from './log-cursor.js';

/** The events that only watches with `leases` report. */
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
   * After a gap, a lower number alone proves nothing: a database that was restored from an older
   * copy uses numbers again, at later positions. A repeated event has its old position.
   */
  #isSeen(last: LastChange, sequence: number, position: string): boolean {
    if (sequence > last.sequence) return false;
    return last.gaps === this.#gaps || !isAfter(position, last.position);
  }
}

/**
 * The changes in the pages of the log, each once, and `events_lost` where some are missing.
 */
export class TenantChanges {
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
