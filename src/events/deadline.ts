import { timestampOf } from '../session/clock.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';
import { settle } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import { eventOf } from './event-detail.js';
import type { SessionEvent, SessionExpiring } from './session-event.js';

/** When the clock ends a session, and why. */
interface ClockEnd {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly reason: EndReason;
}

const clockEndOf = (state: StateRecord): ClockEnd | undefined => {
  if (state.status === 'TERMINATED') return undefined;
  const ended = settle(state, state.deadline);
  return ended.status === 'TERMINATED' ? { at: state.deadline, reason: ended.endReason } : undefined;
};

/**
 * The event of the end of a session that has ended by now, also by the clock; undefined of one that has not. Whoever writes
 * the end down, and whenever, it has this sequence: nothing can be appended behind the deadline.
 */
export const endOf = (
  key: SessionKey,
  { birth, sequence, state }: SessionRecord,
  now: number,
  place: string,
): SessionEvent | undefined => {
  const settled = settle(state, now);
  if (settled.status !== 'TERMINATED') return undefined;
  const change = { birth, sequence: state === settled ? sequence : sequence + 1 };
  return eventOf(key, change, { type: 'terminated', at: settled.since, endReason: settled.endReason }, place);
};

/** What a watcher knows of the end that the clock will make, and of the warning before it. Times are milliseconds. */
export class Deadline {
  readonly #warnBeforeMs: number;
  #end: ClockEnd | undefined;
  /** Whether it was warned of this end. */
  #hasWarned = false;

  /** With a negative time there are no warnings. */
  constructor(warnBeforeMs: number) {
    this.#warnBeforeMs = warnBeforeMs;
  }

  /** The session has this state now. */
  follow(state: StateRecord): void {
    const end = clockEndOf(state);
    this.#hasWarned &&= end?.at === this.#end?.at && end?.reason === this.#end?.reason;
    this.#end = end;
  }

  /** When there is something to do next; `Infinity` for never. */
  get nextAt(): number {
    if (this.#end === undefined) return Number.POSITIVE_INFINITY;
    const { at } = this.#end;
    return this.#warnBeforeMs >= 0 && !this.#hasWarned ? at - this.#warnBeforeMs : at;
  }

  hasPassed(now: number): boolean {
    return this.#end !== undefined && now >= this.#end.at;
  }

  /** The warning of the end, once for each deadline. */
  warning({ tenant, id: sessionId }: SessionKey, now: number, position: string): SessionExpiring | undefined {
    const end = this.#end;
    if (end === undefined || now < this.nextAt || now >= end.at) return undefined;
    this.#hasWarned = true;
    const [at, endsAt] = [timestampOf(now), timestampOf(end.at)];
    return { type: 'session.expiring', tenant, sessionId, at, endsAt, endReason: end.reason, position };
  }
}
