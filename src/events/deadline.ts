import { timestampOf } from '../session/clock.js';
import type { SessionExpiring } from '../session/session-event.js';
import type { StateRecord } from '../session/session-record.js';
import { endsAt, stateAt } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';

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

  update(state: StateRecord): void {
    const next = state.status === 'TERMINATED' ? undefined : state;
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

  /**
   * Whether the session must be read before its end or a warning of it is told. The clock may have ended it, and an end
   * by inactivity may have moved: an append moves it without a new state, and a renewed lease has no event.
   */
  mustRead(now: number): boolean {
    if (this.#state === undefined || now < this.nextAt) return false;
    return now >= endsAt(this.#state) || endsAt(this.#state) < this.#state.deadline;
  }

  /** The warning of the end if it is due; undefined otherwise. Each deadline has one warning. */
  warning({ tenant, id: sessionId }: SessionKey, now: number, cursor: string): SessionExpiring | undefined {
    if (this.#state === undefined || this.#warnBeforeMs < 0 || this.#hasWarned) return undefined;
    const end = endsAt(this.#state);
    if (now < end - this.#warnBeforeMs || now >= end) return undefined;
    const ended = stateAt(this.#state, end);
    if (ended.status !== 'TERMINATED') return undefined;
    this.#hasWarned = true;
    const times = { at: timestampOf(now), endsAt: timestampOf(ended.since) };
    return { type: 'session.expiring', tenant, sessionId, ...times, endReason: ended.endReason, cursor };
  }
}
