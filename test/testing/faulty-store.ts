import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import { changed } from '../support/store-doubles.js';

/**
 * A mistake that a store could make: in which group of cases it must be found, what it does, and a
 * store that does.
 */
export type Fault = readonly [group: string, does: string, makeStore: () => SessionStore];

/** A memory store with some of its methods changed. */
export const faulty = (
  group: string,
  does: string,
  changes: (inner: MemorySessionStore) => Partial<SessionStore>,
): Fault => {
  const makeStore = () => {
    const inner = new MemorySessionStore();
    return changed(inner, changes(inner));
  };
  return [group, does, makeStore];
};

/** A store that keeps what it is given under a name that it has changed. */
export const renaming = (
  group: string,
  does: string,
  rename: (key: SessionKey) => SessionKey,
): Fault =>
  faulty(group, does, (inner) => ({
    insert: (tenant, head, state, opening) =>
      inner.insert(rename({ tenant, id: head.id }).tenant, head, state, opening),
    find: (key) => inner.find(rename(key)),
    findState: (key) => inner.findState(rename(key)),
    list: (tenant, page) => inner.list(rename({ tenant, id: '' }).tenant, page),
    replace: (key, ...args) => inner.replace(rename(key), ...args),
    append: (key, append) => inner.append(rename(key), append),
    findEntries: (key, slice) => inner.findEntries(rename(key), slice),
    remove: (key, removal) => inner.remove(rename(key), removal),
  }));

/** A store that changes what it keeps. */
export const distorting = (
  group: string,
  does: string,
  distort: {
    readonly head?: (head: SessionHead) => SessionHead;
    readonly state?: (state: StateRecord) => StateRecord;
    readonly entry?: (entry: HistoryEntry) => HistoryEntry;
  },
): Fault =>
  faulty(group, does, (inner) => ({
    insert: (tenant, head, state, opening) =>
      inner.insert(tenant, distort.head?.(head) ?? head, distort.state?.(state) ?? state, opening),
    replace: (key, previous, next, options) =>
      inner.replace(key, previous, distort.state?.(next) ?? next, options),
    append: (key, { entries, ...append }) =>
      inner.append(key, {
        ...append,
        entries: entries.map((entry) => distort.entry?.(entry) ?? entry),
      }),
  }));
