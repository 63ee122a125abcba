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
   * Raises the reserved amount to this one. Returns false if there is not enough, or if the
   * reservation was released.
   */
  admit(amount: number): boolean;
  /**
   * Replaces the reserved amount by that of the answer, which is between these. If the answer was
   * larger than reserved, the quota may be exceeded, so that later requests are rejected.
   */
  settle(least: number, most: number): void;
  /**
   * Waits until a large answer may be written. Only one is written per turn of the event loop, so
   * that other requests are served in between. A small answer does not wait.
   */
  waitToWrite(): Promise<void>;
  release(): void;
}

/**
 * Limits a total, and each tenant's part of it, so that no tenant can block the others: the bytes
 * of pending answers, or the open streams. An amount above the limit of a tenant counts as that
 * limit, and is admitted if the tenant has nothing else: every session must remain readable.
 */
export class TenantQuota {
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
    const reserve = (amount: number): void => {
      // Released already: the store answered after the timeout, so the request is over.
      if (isReleased) return;
      this.#add(tenant, amount - reserved);
      reserved = amount;
    };
    const admit = (amount: number): boolean => {
      const more = Math.min(amount, this.#maxPerTenant) - reserved;
      if (isReleased || !this.#hasRoom(tenant, Math.max(0, more))) return false;
      if (more > 0) reserve(reserved + more);
      return true;
    };
    return {
      first: () => {
        const amount = Math.floor(Math.min(FIRST_BYTES, this.#roomOf(tenant) * FIRST_PART));
        admit(amount);
        return Math.max(1, amount);
      },
      admit,
      settle: (least, most) =>
        reserve(Math.min(Math.max(least, Math.min(most, reserved)), this.#maxPerTenant)),
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
