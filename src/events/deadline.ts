import { timestampOf } from '../session/clock.js';
import { eventOf } from '../session/event-detail.js';
import type { SessionEvent, SessionExpiring } from '../session/session-event.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import { endsAt, stateAt } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';

/**
 * The `terminated` event of a session that has ended by now, including an end by the clock that no process has stored
 * yet; undefined if the session has not ended. Its sequence is that of the stored end, unless the session is redacted
 * or gets entries in its grace period before the end is stored.
 */
export const terminatedEventAt = (
  key: SessionKey,
  { incarnation, sequence, state }: SessionRecord,
  now: number,
  position: string,
): SessionEvent | undefined => {
  const settled = stateAt(state, now);
  if (settled.status !== 'TERMINATED') return undefined;
  const change = { incarnation, sequence: state === settled ? sequence : sequence + 1 };
  return eventOf(key, change, { type: 'terminated', at: settled.since, endReason: settled.endReason }, position);
};

/** Tracks when the clock will end a session, and the warning before that. All times are in milliseconds. */
export class Deadline {
  readonly #warnBeforeMs: number;
  /** The state in which the clock will end the session. */
  #state: StateRecord | undefined;
  /** Whether the warning of this end has been sent. */
  #hasWarned = false;

  /** A negative time turns warnings off. */
  constructor(warnBeforeMs: number) {
    this.#warnBeforeMs = warnBeforeMs;
  }

  /** Updates the deadline from a new state; undefined for a session that is deleted. */
  update(state: StateRecord | undefined): void {
    const next = state?.status === 'TERMINATED' ? undefined : state;
    this.#hasWarned &&= this.#isSameEnd(next);
    this.#state = next;
  }

  #isSameEnd(next: StateRecord | undefined): boolean {
    if (next === undefined || this.#state === undefined) return next === this.#state;
    return endsAt(next) === endsAt(this.#state) && next.status === this.#state.status;
  }

  /** Time of the next warning or end, in milliseconds since the epoch; `Infinity` for none. */
  get nextAt(): number {
    const at = this.#state === undefined ? Number.POSITIVE_INFINITY : endsAt(this.#state);
    return this.#warnBeforeMs >= 0 && !this.#hasWarned ? at - this.#warnBeforeMs : at;
  }

  hasPassed(now: number): boolean {
    return this.#state !== undefined && now >= endsAt(this.#state);
  }

  /**
   * Whether a warning of inactivity is due but must be checked: the session may have been used since its state was
   * read, because an append moves that end without a new state, and a renewed lease has no event.
   */
  isInDoubt(now: number): boolean {
    return this.#isWarningDue(now) && this.#state !== undefined && endsAt(this.#state) < this.#state.deadline;
  }

  #isWarningDue(now: number): boolean {
    return this.#warnBeforeMs >= 0 && !this.#hasWarned && now >= this.nextAt && !this.hasPassed(now);
  }

  /** The warning of the end if it is due; undefined otherwise. Each deadline has one warning. */
  warning({ tenant, id: sessionId }: SessionKey, now: number, position: string): SessionExpiring | undefined {
    if (this.#state === undefined || !this.#isWarningDue(now)) return undefined;
    const ended = stateAt(this.#state, endsAt(this.#state));
    if (ended.status !== 'TERMINATED') return undefined;
    this.#hasWarned = true;
    const times = { at: timestampOf(now), endsAt: timestampOf(ended.since) };
    return { type: 'session.expiring', tenant, sessionId, ...times, endReason: ended.endReason, position };
  }
}
