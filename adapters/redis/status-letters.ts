import { type SessionStatus, sessionStatuses } from '../../src/session/session-status.js';

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

/** The letter of a status in a record. */
export const letterOf = (status: SessionStatus): string => letters[status];

/** All of them, in the order in which scripts get the keys of the indexes by status. */
export const STATUS_LETTERS = sessionStatuses.map(letterOf).join('');

/** The number of a status letter among the keys of the indexes by status, from 1. `letter` is a Lua expression. */
export const numberOf = (letter: string): string => `string.find('${STATUS_LETTERS}', ${letter}, 1, true)`;
