import type { StateRecord } from './session-record.js';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * When a worker may claim the session, in milliseconds since the epoch; `Infinity` if it wants
 * none. A lease holds off all claims until its end, and a claim that was not released is made again
 * after it: its worker may have crashed.
 *
 * @example
 * ```ts
 * await sessions.orThrow.wake(id);
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(wakeAtOf(state) <= Date.now()); // true
 * ```
 */
export const wakeAtOf = ({
  status,
  wakeAt = NEVER,
  retryAt = NEVER,
  lease,
}: StateRecord): number => {
  if (status === 'TERMINATED') return NEVER;
  const dueAt = Math.min(wakeAt, retryAt);
  if (lease === undefined || lease.releasedAt !== undefined) return dueAt;
  const wanted = lease.maxAttempts !== undefined ? Math.min(dueAt, lease.until) : dueAt;
  return Math.max(wanted, lease.until);
};
