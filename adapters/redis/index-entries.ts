import { unleasedSince } from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { labelKey, type SessionKeys } from './keyspace.js';
import { letterOf } from './status-letters.js';

/** An entry of a session in an index. */
export interface IndexEntry {
  /** The key of the index. */
  readonly index: string;
  /** The score, '' for the time of the creation. */
  readonly score: string;
}

/** The score of entries by the time of the creation. */
const BY_CREATION = '';

/**
 * The entries of a session with this state in all indexes but that by due time. What is left of a removed session has
 * none.
 */
export const indexEntriesOf = (keys: SessionKeys, state: StateRecord): readonly IndexEntry[] => {
  if (keys.isLeft) return [];
  const entries = [{ index: keys.index, score: BY_CREATION }];
  const byStatus = keys.byStatus[state.status];
  if (byStatus !== undefined) entries.push({ index: byStatus, score: BY_CREATION });
  for (const [name, value] of Object.entries(state.labels ?? {})) {
    entries.push({ index: labelKey(keys, name, value), score: BY_CREATION });
  }
  if (keys.unleased !== undefined && state.status !== 'TERMINATED') {
    const score = String(unleasedSince(state));
    entries.push({ index: keys.unleased + letterOf(state.status), score });
  }
  return entries;
};

/** The entries that a change adds, and the indexes that the session leaves. */
export interface IndexChange {
  readonly added: readonly IndexEntry[];
  readonly lost: readonly string[];
}

export const indexChangeOf = (keys: SessionKeys, previous: StateRecord, next: StateRecord): IndexChange => {
  const before = new Map(indexEntriesOf(keys, previous).map(({ index, score }) => [index, score]));
  const entries = indexEntriesOf(keys, next);
  const kept = new Set(entries.map(({ index }) => index));
  return {
    added: entries.filter(({ index, score }) => before.get(index) !== score),
    lost: [...before.keys()].filter((index) => !kept.has(index)),
  };
};

/** The keys of all indexes that a session may be in, but those of labels and by due time. */
export const indexesOf = ({ index, byStatus, unleased, isLeft }: SessionKeys): readonly string[] => {
  if (isLeft) return [];
  const open = sessionStatuses.filter((status) => status !== 'TERMINATED');
  const free = unleased === undefined ? [] : open.map((status) => unleased + letterOf(status));
  return [index, ...Object.values(byStatus), ...free];
};

/** The due time of a session with this state as scripts take it: '' for never. */
export const dueText = (state: StateRecord): string => {
  const at = dueAtOf(state);
  return at === Number.POSITIVE_INFINITY ? '' : String(at);
};
