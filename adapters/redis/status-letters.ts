import { type SessionStatus, sessionStatuses } from '../../src/session/session-status.js';

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

/** The letter of a status in a record. */
export const letterOf = (status: SessionStatus): string => letters[status];

/** The letters of all statuses, in the order of the keys of the indexes by status in scripts. */
export const STATUS_LETTERS = sessionStatuses.map(letterOf).join('');

/**
 * A Lua expression: the number of a status among the keys of the indexes by status, from 1. `letter` is a Lua
 * expression.
 */
export const numberOf = (letter: string): string => `string.find('${STATUS_LETTERS}', ${letter}, 1, true)`;
