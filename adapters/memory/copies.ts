import type { SessionHead, StateRecord } from '../../src/session/record.js';

/* Copies, so that neither what callers hand in nor what they get is what the store keeps. */

export const copyHead = ({ id, options, createdAt }: SessionHead): SessionHead => {
  const { face, profile, context, behavior, timeLimit } = options;
  return { id, options: { face, profile, context, behavior, timeLimit }, createdAt };
};

export const copyState = (state: StateRecord): StateRecord => ({ ...state, operations: [...state.operations] });
