import type { SessionStatus } from '../../src/session/session-status.js';
import type { StatusAt } from '../../src/store/session-store.js';

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

/** The letter of a status in a record. */
export const letterOf = (status: SessionStatus): string => letters[status];

/** The letters of the statuses of a filter; '' for any status. */
export const lettersOf = (status: StatusAt | undefined): string =>
  status?.anyOf.map(letterOf).join('') ?? '';
