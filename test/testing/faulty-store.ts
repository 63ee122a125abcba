import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type { StateChange, UseChange } from '../../src/store/commit.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

/** A store that stores each session under a changed name. */
export const renaming = (
  bug: string,
  caughtBy: string,
  rename: (key: SessionKey) => SessionKey,
): PlantedBug => {
  const renamed = <C extends { readonly key: SessionKey }>(commit: C): C => ({
    ...commit,
    key: { ...commit.key, ...rename(commit.key) },
  });
  return planted(bug, caughtBy, (inner) => ({
    begin: (commit) => inner.begin(renamed(commit)),
    change: (commit) => inner.change(renamed(commit)),
    remove: (commit) => inner.remove(renamed(commit)),
    find: (key, size) => inner.find(rename(key), size),
    findState: (key) => inner.findState({ ...key, ...rename(key) }),
    page: (tenant, range) => inner.page(rename({ tenant, id: '' }).tenant, range),
    entries: (key, slice) => inner.entries(rename(key), slice),
  }));
};

/** A change of a state or a history, with its entries changed. */
export const withEntries = <C extends StateChange | UseChange>(
  commit: C,
  change: (entries: readonly HistoryEntry[]) => readonly HistoryEntry[],
): C => ({
  ...commit,
  effects: { ...commit.effects, entries: change(commit.effects.entries ?? []) },
});

/** A store that changes what it keeps. */
export const distorting = (
  bug: string,
  caughtBy: string,
  distort: {
    readonly head?: (head: SessionHead) => SessionHead;
    readonly state?: (state: StateRecord) => StateRecord;
    readonly entry?: (entry: HistoryEntry) => HistoryEntry;
  },
): PlantedBug => {
  const { head = (same) => same, state = (same) => same, entry = (same) => same } = distort;
  const all = (entries: readonly HistoryEntry[]) => entries.map(entry);
  return planted(bug, caughtBy, (inner) => ({
    begin: ({ effects, ...commit }) => {
      const parts = { head: head(effects.head), state: state(effects.state) };
      const entries = all(effects.entries);
      return inner.begin({ ...commit, effects: { ...effects, ...parts, entries } });
    },
    put: (commit) => {
      const { effects, ...others } = withEntries(commit, all);
      const put = { ...effects.put, state: state(effects.put.state) };
      return inner.change({ ...others, effects: { ...effects, put } });
    },
    use: (commit) => inner.change(withEntries(commit, all)),
  }));
};
