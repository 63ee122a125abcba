import type { ClientTiming } from './timing.js';

const FIRST_MS = 200;
const MOST_MS = 10_000;

/** A number of seconds, or a date; 0 where there is neither. */
const retryAfterMs = (timing: ClientTiming, header: string | null | undefined): number => {
  if (header === null || header === undefined) return 0;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - timing.now());
};

/** What a wait depends on. */
export interface Backoff {
  readonly timing: ClientTiming;
  /** Failures in a row before this one. */
  readonly failures: number;
  readonly retryAfter: string | null | undefined;
  /** The longest first wait. */
  readonly firstMs?: number;
}

/**
 * So many milliseconds until the next attempt: anything up to a bound that doubles each time, so that clients who failed
 * together do not come back together, and all of it behind what the server asks for.
 */
export const waitMs = ({ timing, failures, retryAfter, firstMs = FIRST_MS }: Backoff): number =>
  retryAfterMs(timing, retryAfter) + timing.random() * Math.min(MOST_MS, firstMs * 2 ** failures);
