import type { IssueList } from '../schema/issue-list.js';
import { inLaterTurn } from '../session/in-later-turn.js';

/**
 * Minimum bytes of an answer that waits for its turn, because writing it blocks the event loop for
 * a noticeable time.
 */
const LARGE_BYTES = 256 * 1024;

/** Bytes to reserve for an answer of unknown size, so that most answers need only one read. */
const FIRST_BYTES = 64 * 1024;

/**
 * The first amount is at most this part of the room, so that small answers find some when many are
 * pending.
 */
const FIRST_PART = 1 / 256;

const DEFAULT_PER_TENANT = 1000;

export const perTenantOf = (places: number, given: number | undefined): number =>
  given ?? Math.min(DEFAULT_PER_TENANT, places);

export const checkPerTenant = (
  issues: IssueList,
  name: string,
  places: number,
  given: number | undefined,
): void =>
  issues.check(perTenantOf(places, given) <= places, `${name}PerTenant`, `must be at most ${name}`);

export interface Reservation {
  /** Reserves a small amount for an answer of unknown size, and returns it: at least 1. */
  first(): number;
  /**
   * Reserves an amount. Returns false if there is not enough, or if the reservation was released.
   */
  admit(amount: number): boolean;
  /** Reserves an amount even if the budget is too small, so that later requests are rejected. */
  count(amount: number): void;
  /**
   * Raises the reserved amount to this one, for an answer that is larger than `first`. Returns
   * false if there is not enough, or if the reservation was released.
   */
  raiseTo(amount: number): boolean;
  /** Lowers the reserved amount to this one. */
  lowerTo(amount: number): void;
  /**
   * Waits until a large answer may be written. Only one is written per turn of the event loop, so
   * that other requests are served in between. A small answer does not wait.
   */
  waitToWrite(): Promise<void>;
  /** Returns the reserved amount to the budget. */
  release(): void;
}

/**
 * Limits a total, and each tenant's part of it, so that no tenant can block the others: the bytes
 * of pending answers, or the open streams. An amount above the limit of a tenant counts as that
 * limit, and is admitted if the tenant has nothing else: every session must remain readable.
 */
export class TenantBudget {
  readonly #max: number;
  readonly #maxPerTenant: number;
  #used = 0;
  readonly #usedBy = new Map<string, number>();
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(max: number, maxPerTenant = max / 2) {
    this.#max = max;
    this.#maxPerTenant = maxPerTenant;
  }

  /** Whether even the smallest amount would be refused. */
  isSpent(tenant: string): boolean {
    return !this.#hasRoom(tenant, Math.min(1, this.#maxPerTenant));
  }

  reserve(tenant: string): Reservation {
    let reserved = 0;
    let isReleased = false;
    const count = (amount: number): void => {
      // Released already: the store answered after the timeout, so the request is over.
      if (isReleased) return;
      reserved += amount;
      this.#add(tenant, amount);
    };
    const take = (amount: number): boolean => {
      if (isReleased || !this.#hasRoom(tenant, amount)) return false;
      count(amount);
      return true;
    };
    return {
      first: () => {
        const amount = Math.floor(Math.min(FIRST_BYTES, this.#roomOf(tenant) * FIRST_PART));
        take(amount);
        return Math.max(1, amount);
      },
      count,
      admit: (amount) => take(Math.min(amount, this.#maxPerTenant)),
      raiseTo: (amount) => take(Math.max(0, Math.min(amount, this.#maxPerTenant) - reserved)),
      lowerTo: (amount) => count(Math.min(0, amount - reserved)),
      waitToWrite: async () => {
        if (reserved < LARGE_BYTES) return;
        this.#lastTurn = this.#lastTurn.then(() => new Promise(inLaterTurn));
        await this.#lastTurn;
      },
      release: () => {
        isReleased = true;
        this.#add(tenant, -reserved);
        reserved = 0;
      },
    };
  }

  #roomOf(tenant: string): number {
    return Math.min(this.#maxPerTenant - (this.#usedBy.get(tenant) ?? 0), this.#max - this.#used);
  }

  #hasRoom(tenant: string, amount: number): boolean {
    return amount <= this.#roomOf(tenant);
  }

  #add(tenant: string, amount: number): void {
    this.#used += amount;
    const used = (this.#usedBy.get(tenant) ?? 0) + amount;
    if (used === 0) this.#usedBy.delete(tenant);
    else this.#usedBy.set(tenant, used);
  }
}
