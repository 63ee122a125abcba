import { deepFreeze } from '../../src/session/deep-freeze.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';

/* Copies and frozen objects, so that callers cannot change the store. */

export const copyHead = (head: SessionHead): SessionHead => {
  const copy = { ...head, options: { ...head.options } };
  if (head.origin === undefined) return copy;
  return { ...copy, origin: { ...head.origin } };
};

/**
 * A deeply frozen state, which the store and its callers may share. States of the service are
 * frozen already: copying each would make a change take half as long again.
 */
export const frozenState = (state: StateRecord): StateRecord => {
  const { operations, terms, labels, metadata, lease, report } = state;
  const parts = [state, operations, terms, labels, metadata, lease, report];
  if (parts.every((part) => Object.isFrozen(part))) return state;
  return deepFreeze(structuredClone(state));
};
