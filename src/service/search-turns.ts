import { storeUnavailable } from '../session/errors.js';
import { inLaterTurn } from '../session/in-later-turn.js';
import { timedOut, withTimeout } from '../session/with-timeout.js';
import type { SessionStore } from '../store/session-store.js';

/** How long a search waits for its turn, in milliseconds. */
const WAIT_MS = 2000;

export const tooManySearches = storeUnavailable(
  'earlier searches of the same tenant have taken all of the time',
  'not_applied',
);

/**
 * Runs the searches of a tenant one after the other, each in its own turn of the event loop, so
 * that a tenant with many searches delays others by one search at most.
 */
export class SearchTurns {
  /** The end of the latest search of each tenant, until a turn of the event loop later. */
  readonly #ends = new Map<string, Promise<void>>();

  /**
   * Runs a search once the earlier ones of its tenant are over. Undefined if they are not within
   * `waitMs` milliseconds.
   */
  async run<T>(
    tenant: string,
    search: () => T | PromiseLike<T>,
    waitMs = WAIT_MS,
  ): Promise<T | undefined> {
    const until = performance.now() + waitMs;
    let earlier = this.#ends.get(tenant);
    while (earlier !== undefined) {
      const ended = await withTimeout(until - performance.now(), earlier);
      if (ended === timedOut) return undefined;
      // A turn of its own: requests in Workers must not wait for timers of each other.
      await new Promise<void>(inLaterTurn);
      const latest = this.#ends.get(tenant);
      earlier = latest === earlier ? undefined : latest;
    }
    const result = (async () => search())();
    const forget = (): void => {
      if (this.#ends.get(tenant) === end) this.#ends.delete(tenant);
    };
    const over = (): void => inLaterTurn(forget);
    const end: Promise<void> = result.then(over, over);
    this.#ends.set(tenant, end);
    return result;
  }
}

const turns = new WeakMap<SessionStore, SearchTurns>();

export const searchTurnsOf = (store: SessionStore): SearchTurns => {
  const known = turns.get(store) ?? new SearchTurns();
  turns.set(store, known);
  return known;
};
