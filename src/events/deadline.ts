import type { StateRecord } from '../session/record.js';
import { settle } from '../session/timeline.js';
import type { EndReason } from '../status.js';

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

  /** The end to warn of, once for each deadline. */
  warning(now: number): ClockEnd | undefined {
    const end = this.#end;
    if (end === undefined || now < this.nextAt || now >= end.at) return undefined;
    this.#hasWarned = true;
    return end;
  }
}
