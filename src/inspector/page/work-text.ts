import type { SessionDetail } from './session-row.js';
import { asCount, asTime, escapeInvisible } from './text.js';

type Work = NonNullable<SessionDetail['work']>;

const states: Readonly<Record<Work['state'], string>> = {
  waiting: 'Waiting for a worker since',
  running: 'Running since',
  retrying: 'Retrying; last attempt failed at',
  exhausted: 'Exhausted since',
};

const workParts = ({ state, since, attempt, nextAt, error }: Work): readonly string[] => [
  `${states[state]} ${asTime(since)}`,
  ...(attempt > 0 ? [`attempts: ${asCount(attempt)}`] : []),
  ...(nextAt !== undefined ? [`next: ${asTime(nextAt)}`] : []),
  ...(error !== undefined ? [`error: ${escapeInvisible(error)}`] : []),
];

/** The lease and the work of a session; empty if there is neither. */
export const workText = ({ holder, lease_until: until, work }: SessionDetail): string => {
  const isLeased = holder !== undefined && until !== undefined;
  const lease = isLeased ? [`Leased by ${escapeInvisible(holder)} until ${asTime(until)}`] : [];
  return [...lease, ...(work ? workParts(work) : [])].join('; ');
};
