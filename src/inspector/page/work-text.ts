import type { SessionDetail } from './session-row.js';
import { asCount, asTime, escapeInvisible } from './text.js';

const stageOf = ({ holder, lease_until: until, wake_at: wakeAt, exhausted }: SessionDetail): string => {
  if (holder !== undefined && until !== undefined) return `Leased by ${escapeInvisible(holder)} until ${asTime(until)}`;
  if (wakeAt !== undefined) return `Waits for a worker from ${asTime(wakeAt)}`;
  return exhausted ? 'Exhausted: its work has failed in all its attempts' : '';
};

/** Who works on a session, or from when on it waits for a worker; empty if neither. */
export const workText = (session: SessionDetail): string => {
  const { attempts = 0 } = session;
  const stage = stageOf(session);
  return stage === '' || attempts === 0 ? stage : `${stage}; attempts: ${asCount(attempts)}`;
};
