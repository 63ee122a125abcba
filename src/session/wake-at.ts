import type { StateRecord } from './session-record.js';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * When a worker may claim the session, in milliseconds since the epoch; `Infinity` if it wants none. A lease holds off
 * all claims until its end, and a claim that was not released is made again after it: its worker may have crashed.
 */
export const wakeAtOf = ({ status, wakeAt = NEVER, lease }: StateRecord): number => {
  if (status === 'TERMINATED') return NEVER;
  if (lease === undefined || lease.releasedAt !== undefined) return wakeAt;
  const wanted = lease.isClaim === true ? Math.min(wakeAt, lease.until) : wakeAt;
  return Math.max(wanted, lease.until);
};
