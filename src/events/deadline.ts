import { timestampOf } from '../session/clock.js';
import type { SessionExpiring } from '../session/session-event.js';
import type { StateRecord } from '../session/session-record.js';
import type { EndReason, SessionStatus } from '../session/session-status.js';
import { endsAt, stateAt } from '../session/state-at.js';

/** How the clock will end a session. */
export interface Ending {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly endReason: EndReason;
  readonly status: SessionStatus;
  /**
   * Whether the end may move without a new state: each append and renewed lease moves an end by
   * inactivity.
   */
  readonly isByInactivity: boolean;
}

/** Undefined if the clock will not end the session, or has ended it. */
export const endingOf = (state: StateRecord): Ending | undefined => {
  const at = endsAt(state);
  if (state.status === 'TERMINATED' || at === Number.POSITIVE_INFINITY) return undefined;
  const ended = stateAt(state, at);
  if (ended.status !== 'TERMINATED') return undefined;
  return {
    at,
    endReason: ended.endReason,
    status: state.status,
    isByInactivity: at < state.deadline,
  };
};

/**
 * The next end of a session by the clock, and the warning before it. All times are in milliseconds.
 */
export class Deadline {
  readonly #warnBeforeMs: number;
  #ending: Ending | undefined;
  /** Whether the warning of this end has been sent. */
  #hasWarned = false;

  /** A negative time turns warnings off. */
  constructor(warnBeforeMs: number) {
    this.#warnBeforeMs = warnBeforeMs;
  }

  update(ending: Ending | undefined): void {
    this.#hasWarned &&= ending?.at === this.#ending?.at && ending?.status === this.#ending?.status;
    this.#ending = ending;
  }

  /** Time of the next warning or end, in milliseconds since the epoch; `Infinity` for none. */
  get nextAt(): number {
    const at = this.#ending?.at ?? Number.POSITIVE_INFINITY;
    if (this.#warnBeforeMs < 0 || this.#hasWarned) return at;
    return at - this.#warnBeforeMs;
  }

  /** Whether the session must be read before its end or a warning of it is reported. */
  mustRead(now: number): boolean {
    if (this.#ending === undefined || now < this.nextAt) return false;
    return now >= this.#ending.at || this.#ending.isByInactivity;
  }

  /** The warning of the end if it is due; undefined otherwise. Each deadline has one warning. */
  warning(now: number): Pick<SessionExpiring, 'endsAt' | 'endReason'> | undefined {
    if (this.#ending === undefined || this.#warnBeforeMs < 0 || this.#hasWarned) return undefined;
    const { at: end, endReason } = this.#ending;
    if (now < end - this.#warnBeforeMs || now >= end) return undefined;
    this.#hasWarned = true;
    return { endsAt: timestampOf(end), endReason };
  }
}
