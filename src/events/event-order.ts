import { birthOf, isBehind, timeAt } from './position.js';
import type { SessionEvent } from './session-event.js';

/** How long an event waits for those that are missing before it, in milliseconds. */
export const HOLD_MS = 1000;

/** How many events may wait; beyond, the gap that has been open longest is given up. */
const MAX_HELD = 1000;

export interface EventOrderOptions {
  /** Whether the events come from the very beginning, where the first event of each session has sequence 1. */
  readonly isFromBeginning?: boolean;
  /** How many sessions are remembered; beyond, the one without an event for longest is forgotten. Default: all. */
  readonly maxSessions?: number;
}

/** How far the events of one session have been given. */
interface Progress {
  /** Tells apart sessions that had the same id one after another. Undefined until an event tells it. */
  birth: string | undefined;
  /** Events of this one are not told any more. */
  previousBirth: string | undefined;
  /** Of the last event that was given. */
  sequence: number;
  /** Events with a smaller sequence were never given, and nobody was told that they are missing. */
  first: number;
  isDeleted: boolean;
}

interface Held {
  readonly event: SessionEvent;
  /** By the caller's clock. */
  readonly since: number;
  /** By the clock of the log; `Infinity` for an event that is not from the log. */
  readonly loggedAt: number;
}

/**
 * Puts events in the order of their sequence, session by session. Several processes write events, each after its change,
 * so a log can hold sequence 5 before 4. An event that leaves a gap is held until the missing ones come, or until it is
 * clear that they do not come in time: then the gap is told, and the held events follow. An event that was given already
 * is dropped. It has no clock: the caller says what time it is.
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

  /** The next event, `gap` where events before the next one are missing, undefined if there is neither. */
  next(): SessionEvent | 'gap' | undefined {
    return this.#ready.shift();
  }

  /** The event from the log that stands furthest in it. */
  get latest(): SessionEvent | undefined {
    return this.#latest;
  }

  /** Where the earliest event stands that has come and was not given yet. */
  get earliestWaiting(): string | undefined {
    if (this.#ready.length === 0 && this.#heldCount === 0) return undefined;
    const held = [...this.#held.values()].flat().map(({ event }) => event);
    const waiting = [...this.#ready.filter((each) => each !== 'gap'), ...held].map(({ position }) => position);
    return waiting.reduce<string | undefined>(
      (earliest, place) => (earliest === undefined || isBehind(earliest, place) ? place : earliest),
      undefined,
    );
  }

  /** When `expire` is to be called next, by the caller's clock; `Infinity` while no event is held. */
  get expiresAt(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const held of this.#held.values()) for (const { since } of held) earliest = Math.min(earliest, since);
    return earliest + HOLD_MS;
  }

  /** Which event of a session was given last; undefined where none is known. */
  lastOf(sessionId: string): { readonly birth: string | undefined; readonly sequence: number } | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Takes an event. One that is not from the log has a position that stands for nothing. */
  add(event: SessionEvent, now: number, isLogged = true): void {
    const loggedAt = isLogged ? timeAt(event.position) : Number.POSITIVE_INFINITY;
    if (isLogged && (this.#latest === undefined || isBehind(event.position, this.#latest.position))) {
      this.#latest = event;
    }
    this.#place({ event, since: now, loggedAt });
    if (this.#heldCount === 0) return;
    // A reader that is late sees in the log itself how long the missing events have been missing.
    if (isLogged) this.#giveUpWhere((held) => held.some((each) => loggedAt >= each.loggedAt + HOLD_MS));
    for (const sessionId of this.#held.keys()) if (this.#heldCount > MAX_HELD) this.#giveUp(sessionId);
  }

  /** Gives up the gaps that have been open for `HOLD_MS`. To be called when no more events are waiting to be taken. */
  expire(now: number): void {
    this.#giveUpWhere((held) => held.some(({ since }) => now >= since + HOLD_MS));
  }

  /** Goes on behind a change of a session. */
  reset(sessionId: string, birth: string | undefined, sequence: number): void {
    const known = this.#sessions.get(sessionId);
    const previousBirth = known?.birth === birth ? known?.previousBirth : known?.birth;
    const waiting = this.#takeHeld(sessionId);
    for (const event of this.#ready) {
      if (event !== 'gap') waiting.push({ event, since: 0, loggedAt: timeAt(event.position) });
    }
    this.#ready = [];
    this.#sessions.set(sessionId, { birth, previousBirth, sequence, first: 0, isDeleted: false });
    for (const each of waiting) this.#place(each);
  }

  /** Events of any session may be missing from here on: tells a gap, and takes each session's next event as it comes. */
  forget(): void {
    this.#ready.push('gap');
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
      // The end of the session that had this id before comes first.
      if (!known.isDeleted) {
        this.#hold(held);
        return;
      }
      Object.assign(known, { birth, previousBirth: known.birth, sequence: 0, first: 0, isDeleted: false });
    }
    if (sequence <= known.sequence) {
      if (sequence >= known.first) return;
      // It is too late to be told in order. Once is enough: whoever looks now sees all that was before.
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

  /** The held events of a session, by their sequence. */
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

  /** Tells the gap before the held events of a session, and goes on with them. */
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
