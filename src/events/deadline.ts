import type { SessionWatchSettings } from '../input/watch-options.js';
import { timestampOf } from '../session/clock.js';
import type { SessionExpiring } from '../session/session-event.js';
import type { BudgetRecord, StateRecord } from '../session/session-record.js';
import type { EndReason, SessionStatus } from '../session/session-status.js';
import { endsAt, stateAt } from '../session/time-limits.js';

export interface Expiry {
  readonly at: number;
  readonly endReason: EndReason;
  readonly status: SessionStatus;
  /**
   * Whether the end may move without a new state: each append and renewed lease moves an end by
   * inactivity.
   */
  readonly isByInactivity: boolean;
}

/** Undefined if the session will not expire, or has expired. */
export const expiryOf = (state: StateRecord): Expiry | undefined => {
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

type Warning = Pick<SessionExpiring, 'endsAt' | 'endReason' | 'counter'>;

/** The expiry of a watched session, by its time or its budget, and the warnings before it. */
export class Deadline {
  readonly #warnBeforeMs: number;
  readonly #warnAt: number;
  #expiry: Expiry | undefined;
  /** Whether the warning of this expiry has been sent. */
  #hasWarned = false;
  #budget: BudgetRecord | undefined;
  /** The limit at which each counter was last warned of. */
  readonly #warnedLimits = new Map<string, number>();

  constructor({ warnBefore, warnAt }: Pick<SessionWatchSettings, 'warnBefore' | 'warnAt'>) {
    this.#warnBeforeMs = warnBefore;
    this.#warnAt = warnAt;
  }

  update(expiry: Expiry | undefined, budget: BudgetRecord | undefined): void {
    this.#hasWarned &&= expiry?.at === this.#expiry?.at && expiry?.status === this.#expiry?.status;
    this.#expiry = expiry;
    this.#budget = budget;
  }

  /** Time of the next warning or expiry, in milliseconds since the epoch; `Infinity` for none. */
  get nextAt(): number {
    const at = this.#expiry?.at ?? Number.POSITIVE_INFINITY;
    if (this.#warnBeforeMs < 0 || this.#hasWarned) return at;
    return at - this.#warnBeforeMs;
  }

  /** Whether the session must be read before its expiry or a warning of it is reported. */
  mustRead(now: number): boolean {
    if (this.#expiry === undefined || now < this.nextAt) return false;
    return now >= this.#expiry.at || this.#expiry.isByInactivity;
  }

  /** The warning that is due, which is returned once. */
  warning(now: number): Warning | undefined {
    return this.#expiryWarning(now) ?? this.#budgetWarning();
  }

  #expiryWarning(now: number): Warning | undefined {
    if (this.#expiry === undefined || this.#warnBeforeMs < 0 || this.#hasWarned) return undefined;
    const { at: end, endReason } = this.#expiry;
    if (now < end - this.#warnBeforeMs || now >= end) return undefined;
    this.#hasWarned = true;
    return { endsAt: timestampOf(end), endReason };
  }

  #budgetWarning(): Warning | undefined {
    if (this.#budget === undefined) return undefined;
    const { used, limits } = this.#budget;
    for (const [counter, limit] of Object.entries(limits)) {
      const isNear = (used[counter] ?? 0) >= limit * this.#warnAt;
      if (!isNear || this.#warnedLimits.get(counter) === limit) continue;
      this.#warnedLimits.set(counter, limit);
      return { endReason: 'budget', counter };
    }
    return undefined;
  }
}
