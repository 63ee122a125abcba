import type { SessionDetail } from './session-row.js';
import { asCount, asTime, escapeInvisible } from './text.js';

/** Who works on a session, or from when on it waits for a worker; empty if neither. */
export const workText = ({
  holder,
  lease_until: until,
  attempts,
  wake_at,
  exhausted,
}: SessionDetail): string => {
  const tried = attempts ? `; attempts: ${asCount(attempts)}` : '';
  if (holder !== undefined && until !== undefined) {
    return `Leased by ${escapeInvisible(holder)} until ${asTime(until)}${tried}`;
  }
  if (wake_at !== undefined) return `Waits for a worker from ${asTime(wake_at)}${tried}`;
  return exhausted ? 'Exhausted: its work has failed in all its attempts' : '';
};
