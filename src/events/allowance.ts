import type { SessionExpiring } from '../session/session-event.js';
import type { BudgetRecord } from '../session/session-record.js';

/** The budget of a session that is watched, and the warnings before it is used up. */
export class Allowance {
  readonly #share: number;
  #budget: BudgetRecord | undefined;
  /** The limit at which each counter was last warned of. */
  readonly #warned = new Map<string, number>();

  /**
   * `share`: the part of a limit at which to warn. 1 for never, because the session has ended then.
   */
  constructor(share: number) {
    this.#share = share;
  }

  update(budget: BudgetRecord | undefined): void {
    this.#budget = budget;
  }

  warning(): Pick<SessionExpiring, 'endReason' | 'counter'> | undefined {
    if (this.#budget === undefined) return undefined;
    const { used, limits } = this.#budget;
    for (const [counter, limit] of Object.entries(limits)) {
      const isNear = (used[counter] ?? 0) >= limit * this.#share;
      if (!isNear || this.#warned.get(counter) === limit) continue;
      this.#warned.set(counter, limit);
      return { endReason: 'budget', counter };
    }
    return undefined;
  }
}
