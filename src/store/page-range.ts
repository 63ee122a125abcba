import { hasLabels } from '../session/labels.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt } from '../session/time-limits.js';
import type { PageRange } from './session-store.js';

/** Whether a range needs a search, because no index has its sessions in their order. */
export const isSearch = ({ order, labels = {}, status }: PageRange): boolean => {
  if (order === 'updated') return true;
  const count = Object.keys(labels).length;
  return count > 1 || (count === 1 && status !== undefined);
};

type Labels = readonly (readonly [name: string, value: string])[];

export const labelsIn = ({ labels }: PageRange): Labels => Object.entries(labels ?? {});

/**
 * When a session with this state was last updated, as of `now`, in milliseconds since the epoch.
 */
export const updatedAt = (state: StateRecord, now = Number.NEGATIVE_INFINITY): number =>
  stateAt(state, now).lastActivityAt;

export const isInRange = (state: StateRecord, { labels, status }: PageRange): boolean =>
  hasLabels(state.labels, labels) &&
  (status === undefined || status.anyOf.includes(stateAt(state, status.now).status));
