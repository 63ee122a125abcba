import type { StateRecord } from '../../src/session/session-record.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { labelKey, type SessionKeys } from './keyspace.js';

/** An entry of a session in an index. */
export interface IndexEntry {
  /** The key of the index. */
  readonly index: string;
  /**
   * The score, '' for the time of the creation. `<` before it: that of the tenant, which stays if
   * it is lower already.
   */
  readonly score: string;
}

/** The score of entries by the time of the creation. */
const BY_CREATION = '';

/**
 * The entries of a session with this state in all indexes but that by due time. What is left of a
 * removed session has none.
 */
export const indexEntriesOf = (keys: SessionKeys, state: StateRecord): readonly IndexEntry[] => {
  if (keys.isLeft) return [];
  const entries = [{ index: keys.index, score: BY_CREATION }];
  const byStatus = keys.byStatus[state.status];
  if (byStatus !== undefined) entries.push({ index: byStatus, score: BY_CREATION });
  for (const [name, value] of Object.entries(state.labels ?? {})) {
    entries.push({ index: labelKey(keys, name, value), score: BY_CREATION });
  }
  const wakeAt = wakeAtOf(state);
  if (wakeAt < Number.POSITIVE_INFINITY) {
    entries.push(
      { index: keys.waiting, score: `<${wakeAt}` },
      { index: keys.work, score: String(wakeAt) },
    );
  }
  return entries;
};

/** The entries that a change adds, and the indexes that the session leaves. */
export interface IndexChange {
  readonly added: readonly IndexEntry[];
  readonly lost: readonly string[];
}

export const indexChangeOf = (
  keys: SessionKeys,
  previous: StateRecord,
  next: StateRecord,
): IndexChange => {
  const before = new Map(indexEntriesOf(keys, previous).map(({ index, score }) => [index, score]));
  const entries = indexEntriesOf(keys, next);
  const kept = new Set(entries.map(({ index }) => index));
  // A claim may have moved the entries of a session that wants a worker.
  const isWork = (index: string): boolean => index === keys.work || index === keys.waiting;
  return {
    added: entries.filter(({ index, score }) => isWork(index) || before.get(index) !== score),
    lost: [...before.keys()].filter((index) => !kept.has(index) && index !== keys.waiting),
  };
};

/** The keys of all indexes that a session may be in, but those of labels and by due time. */
export const indexesOf = ({ index, byStatus, work, isLeft }: SessionKeys): readonly string[] =>
  isLeft ? [] : [index, ...Object.values(byStatus), work];

/** The due time of a session with this state as scripts take it: '' for never. */
export const dueText = (state: StateRecord): string => {
  const at = dueAtOf(state);
  return at === Number.POSITIVE_INFINITY ? '' : String(at);
};
