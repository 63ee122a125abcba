import type { SessionHead, StateRecord } from '../../src/session/session-record.js';

/* Copies, so that the store shares no objects with its callers. */

export const copyHead = ({ id, options, createdAt }: SessionHead): SessionHead => {
  const { face, profile, context, behavior, timeLimit } = options;
  return { id, options: { face, profile, context, behavior, timeLimit }, createdAt };
};

export const copyState = (state: StateRecord): StateRecord => ({ ...state, operations: [...state.operations] });
