import type { SessionHead, StateRecord } from '../../src/session/record.js';
import type { HistoryEntry, SessionOptions } from '../../src/session/session.js';

/**
 * What others hand in and get out is frozen: the value itself where it is so already, else a copy. The copies are
 * written out field by field, since V8 gives every frozen spread a hidden class of its own, three times its size.
 */

const ownedOptions = (options: SessionOptions): SessionOptions => {
  const { face, profile, context, behavior, timeLimit } = options;
  return Object.isFrozen(options) ? options : Object.freeze({ face, profile, context, behavior, timeLimit });
};

export const ownedHead = (head: SessionHead): SessionHead => {
  const { id, options, createdAt } = head;
  const isOwned = Object.isFrozen(head) && Object.isFrozen(options);
  return isOwned ? head : Object.freeze({ id, options: ownedOptions(options), createdAt });
};

export const ownedEntry = (entry: HistoryEntry): HistoryEntry => {
  const { role, content, timestamp } = entry;
  return Object.isFrozen(entry) ? entry : Object.freeze({ role, content, timestamp });
};

export const ownedState = (state: StateRecord): StateRecord => {
  if (Object.isFrozen(state) && Object.isFrozen(state.operations)) return state;
  const { revision, since, activeMs, limitMs, deadline } = state;
  const operations = Object.freeze([...state.operations]);
  return state.status === 'TERMINATED'
    ? Object.freeze({
        status: state.status,
        revision,
        since,
        activeMs,
        limitMs,
        deadline,
        operations,
        endReason: state.endReason,
      })
    : Object.freeze({ status: state.status, revision, since, activeMs, limitMs, deadline, operations });
};
