import type { SessionStatus } from '../../src/session/session-status.js';

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

/** The letter of a status in a record. */
export const letterOf = (status: SessionStatus): string => letters[status];
