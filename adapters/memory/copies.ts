import type { SessionHead, StateRecord } from '../../src/session/session-record.js';

/* Copies, so that the store shares no objects with its callers. */

export const copyHead = ({ id, options, labels, createdAt }: SessionHead): SessionHead => {
  const { face, profile, context, behavior, timeLimit } = options;
  const head = { id, options: { face, profile, context, behavior, timeLimit }, createdAt };
  return labels === undefined ? head : { ...head, labels: { ...labels } };
};

export const copyState = (state: StateRecord): StateRecord => {
  const copy = { ...state, operations: [...state.operations], terms: { ...state.terms } };
  return state.lease === undefined ? copy : { ...copy, lease: { ...state.lease } };
};
