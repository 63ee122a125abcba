import type { SessionHead, StateRecord } from '../../src/session/session-record.js';

/* Copies, so that no caller can change what the store keeps. */

export const copyHead = ({ id, options, labels, createdAt }: SessionHead): SessionHead => {
  const { face, profile, context, behavior, timeLimit } = options;
  const head = { id, options: { face, profile, context, behavior, timeLimit }, createdAt };
  return labels === undefined ? head : { ...head, labels: { ...labels } };
};

/** A state of the store's own. It is frozen in all its parts, so that callers get it without another copy. */
export const frozenState = (state: StateRecord): StateRecord => {
  const [operations, terms] = [Object.freeze([...state.operations]), Object.freeze({ ...state.terms })];
  const lease = state.lease && Object.freeze({ ...state.lease });
  return Object.freeze({ ...state, operations, terms, ...(lease && { lease }) });
};
