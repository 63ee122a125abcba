import { deepFreeze } from '../../src/session/deep-freeze.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';

/* Copies and frozen objects, so that callers cannot change the store. */

export const copyHead = ({ id, options, origin, digest, createdAt }: SessionHead): SessionHead => {
  const head = { id, options: { ...options }, createdAt };
  if ((origin ?? digest) === undefined) return head;
  return {
    ...head,
    ...(origin && { origin: { ...origin } }),
    ...(digest !== undefined && { digest }),
  };
};

const isFrozen = ({ operations, terms, labels, metadata, lease, report }: StateRecord): boolean =>
  Object.isFrozen(operations) &&
  Object.isFrozen(terms) &&
  (labels === undefined || Object.isFrozen(labels)) &&
  (metadata === undefined || Object.isFrozen(metadata)) &&
  (lease === undefined || Object.isFrozen(lease)) &&
  (report === undefined || Object.isFrozen(report));

/**
 * A deeply frozen state, which the store and its callers may share. States of the service are
 * frozen already: copying each would make a change take half as long again.
 */
export const frozenState = (state: StateRecord): StateRecord => {
  if (Object.isFrozen(state) && isFrozen(state)) return state;
  const [operations, terms] = [
    Object.freeze([...state.operations]),
    Object.freeze({ ...state.terms }),
  ];
  const labels = state.labels && Object.freeze({ ...state.labels });
  const metadata = state.metadata && deepFreeze(structuredClone(state.metadata));
  const lease = state.lease && Object.freeze({ ...state.lease });
  const report = state.report && Object.freeze({ ...state.report });
  return Object.freeze({
    ...state,
    operations,
    terms,
    ...(labels && { labels }),
    ...(metadata && { metadata }),
    ...(lease && { lease }),
    ...(report && { report }),
  });
};
