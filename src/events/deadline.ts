import { timestampOf } from '../session/clock.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';
import { stateAt } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import { eventOf } from './event-detail.js';
import type { SessionEvent, SessionExpiring } from './session-event.js';

/** The end of a session by the clock. */
interface ClockEnd {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason: EndReason;
}

const clockEndOf = (state: StateRecord | undefined): ClockEnd | undefined => {
  if (state === undefined || state.status === 'TERMINATED') return undefined;
  const ended = stateAt(state, state.deadline);
  return ended.status === 'TERMINATED' ? { at: state.deadline, reason: ended.endReason } : undefined;
};

/**
 * The `terminated` event of a session that has ended by now, including an end by the clock that no process has stored
 * yet; undefined if the session has not ended. The sequence is the same no matter which process stores the end, and
 * when: no entry can be appended after the deadline.
 */
export const terminatedEventAt = (
  key: SessionKey,
  { birth, sequence, state }: SessionRecord,
  now: number,
  place: string,
): SessionEvent | undefined => {
  const settled = stateAt(state, now);
  if (settled.status !== 'TERMINATED') return undefined;
  const change = { birth, sequence: state === settled ? sequence : sequence + 1 };
  return eventOf(key, change, { type: 'terminated', at: settled.since, endReason: settled.endReason }, place);
};

/** Tracks when the clock will end a session, and the warning before that. All times are in milliseconds. */
export class Deadline {
  readonly #warnBeforeMs: number;
  #end: ClockEnd | undefined;
  /** Whether the warning of this end was sent. */
  #hasWarned = false;

  /** A negative time turns warnings off. */
  constructor(warnBeforeMs: number) {
    this.#warnBeforeMs = warnBeforeMs;
  }

  /** Updates the deadline from a new state; undefined for a session that is deleted. */
  update(state: StateRecord | undefined): void {
    const end = clockEndOf(state);
    this.#hasWarned &&= end?.at === this.#end?.at && end?.reason === this.#end?.reason;
    this.#end = end;
  }

  /** Time of the next warning or end, in milliseconds since the epoch; `Infinity` for none. */
  get nextAt(): number {
    if (this.#end === undefined) return Number.POSITIVE_INFINITY;
    const { at } = this.#end;
    return this.#warnBeforeMs >= 0 && !this.#hasWarned ? at - this.#warnBeforeMs : at;
  }

  hasPassed(now: number): boolean {
    return this.#end !== undefined && now >= this.#end.at;
  }

  /** The warning of the end if it is due; undefined otherwise. Each deadline has one warning. */
  warning({ tenant, id: sessionId }: SessionKey, now: number, position: string): SessionExpiring | undefined {
    const end = this.#end;
    if (end === undefined || now < this.nextAt || now >= end.at) return undefined;
    this.#hasWarned = true;
    const [at, endsAt] = [timestampOf(now), timestampOf(end.at)];
    return { type: 'session.expiring', tenant, sessionId, at, endsAt, endReason: end.reason, position };
  }
}
