import { birthOf, isAfter, timeAt } from './position.js';
import type { SessionEvent } from './session-event.js';

/** Milliseconds that an event waits for missing events before it. */
export const HOLD_MS = 1000;

/** Maximum number of events on hold. Beyond it, the oldest gap is given up. */
const MAX_HELD = 1000;

export interface EventOrderOptions {
  /** Whether the events start at the beginning of the log, where the first event of each session has sequence 1. */
  readonly isFromBeginning?: boolean;
  /**
   * Maximum number of sessions to track. Beyond it, the session without an event for the longest time is dropped.
   * Default: no limit.
   */
  readonly maxSessions?: number;
}

/** How far the events of one session have been delivered. */
interface Progress {
  /** Distinguishes sessions that had the same id one after another. Undefined until an event contains it. */
  birth: string | undefined;
  /** Events with this birth are dropped. */
  previousBirth: string | undefined;
  /** Sequence of the last delivered event. */
  sequence: number;
  /** Events with a smaller sequence were not delivered, and no gap was reported for them. */
  first: number;
  isDeleted: boolean;
}

interface Held {
  readonly event: SessionEvent;
  /** When the event was added, by the caller's clock. */
  readonly since: number;
  /** When the event was logged, by the clock of the log; `Infinity` for an event that is not from the log. */
  readonly loggedAt: number;
}

/**
 * Sorts events by sequence within each session. Several processes log events, each after its change, so a log can
 * contain sequence 5 before 4. An event after a gap is held until the missing events arrive or `HOLD_MS` has passed;
 * then the gap is reported and the held events follow. Duplicates are dropped. The class reads no clock: callers pass
 * the time.
 */
export class EventOrder {
  readonly #maxSessions: number;
  #isFromBeginning: boolean;
  readonly #sessions = new Map<string, Progress>();
  readonly #held = new Map<string, Held[]>();
  #heldCount = 0;
  #ready: (SessionEvent | 'gap')[] = [];
  #latest: SessionEvent | undefined;

  constructor({ isFromBeginning = false, maxSessions = Number.POSITIVE_INFINITY }: EventOrderOptions = {}) {
    this.#isFromBeginning = isFromBeginning;
    this.#maxSessions = maxSessions;
  }

  /** The next event; `gap` if events before the next one are missing; undefined if there is nothing to deliver. */
  next(): SessionEvent | 'gap' | undefined {
    return this.#ready.shift();
  }

  /** The event with the highest position in the log. */
  get latest(): SessionEvent | undefined {
    return this.#latest;
  }

  /** Lowest position of the events that were added and not delivered. */
  get earliestWaiting(): string | undefined {
    if (this.#ready.length === 0 && this.#heldCount === 0) return undefined;
    const held = [...this.#held.values()].flat().map(({ event }) => event);
    const waiting = [...this.#ready.filter((each) => each !== 'gap'), ...held].map(({ position }) => position);
    return waiting.reduce<string | undefined>(
      (earliest, place) => (earliest === undefined || isAfter(earliest, place) ? place : earliest),
      undefined,
    );
  }

  /** When to call `expire` next, by the caller's clock; `Infinity` while no event is held. */
  get expiresAt(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const held of this.#held.values()) for (const { since } of held) earliest = Math.min(earliest, since);
    return earliest + HOLD_MS;
  }

  /** The last delivered event of a session; undefined if unknown. */
  lastOf(sessionId: string): { readonly birth: string | undefined; readonly sequence: number } | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Adds an event. The position of an event that is not from the log is ignored. */
  add(event: SessionEvent, now: number, isLogged = true): void {
    const loggedAt = isLogged ? timeAt(event.position) : Number.POSITIVE_INFINITY;
    if (isLogged && (this.#latest === undefined || isAfter(event.position, this.#latest.position))) {
      this.#latest = event;
    }
    this.#place({ event, since: now, loggedAt });
    if (this.#heldCount === 0) return;
    // A reader that is behind sees from the log itself how long the events have been missing.
    if (isLogged) this.#giveUpWhere((held) => held.some((each) => loggedAt >= each.loggedAt + HOLD_MS));
    for (const sessionId of this.#held.keys()) if (this.#heldCount > MAX_HELD) this.#giveUp(sessionId);
  }

  /** Gives up gaps that are older than `HOLD_MS`. Call it when there are no more events to add. */
  expire(now: number): void {
    this.#giveUpWhere((held) => held.some(({ since }) => now >= since + HOLD_MS));
  }

  /** Continues after the given change of a session, for example after a snapshot. */
  reset(sessionId: string, birth: string | undefined, sequence: number): void {
    const known = this.#sessions.get(sessionId);
    const previousBirth = known?.birth === birth ? known?.previousBirth : known?.birth;
    const waiting = this.#takeHeld(sessionId);
    // The log may have been put back, so that what follows has earlier positions.
    this.#latest = undefined;
    for (const event of this.#ready) {
      if (event !== 'gap') waiting.push({ event, since: 0, loggedAt: timeAt(event.position) });
    }
    this.#ready = [];
    this.#sessions.set(sessionId, { birth, previousBirth, sequence, first: 0, isDeleted: false });
    for (const each of waiting) this.#place(each);
  }

  /**
   * Events of any session may be missing from here on: reports a gap, and accepts any sequence as the next event of a
   * session.
   */
  forget(): void {
    this.#ready.push('gap');
    this.#latest = undefined;
    this.#sessions.clear();
    this.#isFromBeginning = false;
    for (const sessionId of [...this.#held.keys()]) for (const each of this.#takeHeld(sessionId)) this.#place(each);
  }

  #place(held: Held): void {
    const { event } = held;
    const { sessionId, sequence, type } = event;
    const birth = birthOf(event.id);
    const known = this.#progressOf(event);
    known.birth ??= birth;
    if (birth !== known.birth) {
      if (birth === known.previousBirth) return;
      // The deletion of the session that had this id before must be delivered first.
      if (!known.isDeleted) {
        this.#hold(held);
        return;
      }
      Object.assign(known, { birth, previousBirth: known.birth, sequence: 0, first: 0, isDeleted: false });
    }
    if (sequence <= known.sequence) {
      if (sequence >= known.first) return;
      // Too late to be delivered in order. One gap is enough: a read after it covers all earlier changes.
      known.first = 0;
      this.#ready.push('gap');
      return;
    }
    if (sequence > known.sequence + 1) {
      this.#hold(held);
      return;
    }
    known.sequence = sequence;
    known.isDeleted = type === 'session.deleted';
    this.#ready.push(event);
    for (const each of this.#takeHeld(sessionId)) this.#place(each);
  }

  #progressOf({ id, sessionId, sequence }: SessionEvent): Progress {
    const found = this.#sessions.get(sessionId);
    const progress = found ?? {
      birth: birthOf(id),
      previousBirth: undefined,
      sequence: this.#isFromBeginning ? 0 : sequence - 1,
      first: this.#isFromBeginning || sequence === 1 ? 0 : sequence,
      isDeleted: false,
    };
    if (found === undefined || this.#maxSessions < Number.POSITIVE_INFINITY) {
      this.#sessions.delete(sessionId);
      this.#sessions.set(sessionId, progress);
    }
    if (this.#sessions.size > this.#maxSessions) {
      for (const oldest of this.#sessions.keys()) {
        if (this.#held.has(oldest) || oldest === sessionId) continue;
        this.#sessions.delete(oldest);
        break;
      }
    }
    return progress;
  }

  #hold(held: Held): void {
    const others = this.#held.get(held.event.sessionId) ?? [];
    if (others.some(({ event }) => event.id === held.event.id)) return;
    this.#held.set(held.event.sessionId, [...others, held]);
    this.#heldCount += 1;
  }

  /** Removes and returns the held events of a session, sorted by sequence. */
  #takeHeld(sessionId: string): Held[] {
    const held = this.#held.get(sessionId);
    if (held === undefined) return [];
    this.#held.delete(sessionId);
    this.#heldCount -= held.length;
    return held.sort((one, other) => one.event.sequence - other.event.sequence);
  }

  #giveUpWhere(isOverdue: (held: readonly Held[]) => boolean): void {
    for (const [sessionId, held] of [...this.#held]) if (isOverdue(held)) this.#giveUp(sessionId);
  }

  /** Reports the gap before the held events of a session, and continues with them. */
  #giveUp(sessionId: string): void {
    const held = this.#takeHeld(sessionId);
    const known = this.#sessions.get(sessionId);
    const next = held.find(({ event }) => birthOf(event.id) === known?.birth) ?? held[0];
    if (known === undefined || next === undefined) return;
    const birth = birthOf(next.event.id);
    if (birth !== known.birth) known.previousBirth = known.birth;
    Object.assign(known, { birth, sequence: next.event.sequence - 1, first: 0, isDeleted: false });
    this.#ready.push('gap');
    for (const each of held) this.#place(each);
  }
}
