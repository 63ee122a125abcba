import { ok } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import type { OpenedStore } from '../../src/testing/index.js';
import { type Changes, changed } from '../support/store-doubles.js';
import { labelOf, type PlantedBug } from './planted-bug.js';

/** A bug that shows only where two store objects use one database. */
export interface PlantedTwoStoreBug extends PlantedBug {
  readonly makeStore: () => OpenedStore<SessionStore>;
}

/** Makes the methods of one store object over a database. */
type OpenStore = (database: MemorySessionStore) => Changes;

/**
 * `newStores` is called for each database, and what it returns for each of its two store objects.
 */
const planted = (
  bug: string,
  caughtBy: string,
  newStores: () => OpenStore,
): PlantedTwoStoreBug => ({
  bug,
  caughtBy,
  makeStore: () => {
    const database = new MemorySessionStore({ events: true });
    const openStore = newStores();
    const open = () => changed(database, { events: database.events, ...openStore(database) });
    return { store: open(), second: open() };
  },
});

/** Runs tasks one after another: all that a store object has in place of a transaction. */
const newLock = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const next = last.then(task);
    last = next;
    return next;
  };
};

export const plantedTwoStoreBugs: readonly PlantedTwoStoreBug[] = [
  planted(
    'looks for a taken id and inserts without a transaction',
    'races: of 50 begins of one id, exactly one is made and stored',
    () => (database) => {
      const locked = newLock();
      return {
        begin: (commit) =>
          locked(async () => {
            if (database.findState(commit.key)._unsafeUnwrap() !== undefined)
              return ok({ outcome: 'refused', guard: 'absent' } as const);
            await Promise.resolve();
            database.remove({ key: commit.key, guards: {}, effects: { events: [] } });
            return database.begin(commit);
          }),
      };
    },
  ),
  planted(
    'reads a history and writes it back without a transaction',
    'races: 50 appends are all stored completely, in the order of their positions',
    () => {
      const lastReaders = new Map<string, symbol>();
      return (database) => {
        const locked = newLock();
        const me = Symbol('a store object');
        return {
          use: (commit) =>
            locked(async () => {
              const { key, effects } = commit;
              lastReaders.set(labelOf(key), me);
              await Promise.resolve();
              const isOverwritten = lastReaders.get(labelOf(key)) !== me;
              const entries = isOverwritten ? [] : effects.entries;
              return database.change({ ...commit, effects: { ...effects, entries } });
            }),
        };
      };
    },
  ),
  planted(
    'looks for a message and sends it without a transaction',
    'races: of 50 sends of one message, exactly one is made',
    () => (database) => {
      const locked = newLock();
      return {
        use: (commit) =>
          locked(async () => {
            const { send } = commit.effects;
            if (send === undefined || commit.guards.operation !== undefined)
              return database.change(commit);
            const id = send.entry.id ?? '';
            const isKnown = database.messages(commit.key, [id])._unsafeUnwrap().length > 0;
            await Promise.resolve();
            const changed = database.change(commit);
            if (isKnown) return changed;
            return changed.map((answer) =>
              answer.outcome === 'repeated' ? { ...answer, outcome: 'made' as const } : answer,
            );
          }),
      };
    },
  ),
  planted(
    'compares the revision and puts without a transaction',
    'races: of 50 puts on one revision, exactly one is made',
    () => (database) => {
      const locked = newLock();
      return {
        put: (commit) =>
          locked(async () => {
            const { key, guards, effects } = commit;
            const stored = database.findState(key)._unsafeUnwrap();
            await Promise.resolve();
            const previous = database.findState(key)._unsafeUnwrap();
            if (stored?.revision !== guards.revision || previous === undefined)
              return database.change(commit);
            return database.change({
              key,
              guards: { ...guards, revision: previous.revision },
              effects: { ...effects, put: { ...effects.put, previous } },
            });
          }),
      };
    },
  ),
  planted(
    'caches the records that a store object has read',
    'two stores: each immediately reads what the other wrote',
    () => (database) => {
      const cache = new Map<string, SessionRecord>();
      const forget = (key: SessionKey) => cache.delete(labelOf(key));
      return {
        find: (key, ...rest) => {
          if (rest.length > 0) return database.find(key, ...rest);
          const cached = cache.get(labelOf(key));
          if (cached !== undefined) return ok(structuredClone(cached));
          return database.find(key).map((record) => {
            if (record !== undefined) cache.set(labelOf(key), record);
            return record && structuredClone(record);
          });
        },
        change: (commit) => {
          forget(commit.key);
          return database.change(commit);
        },
        remove: (commit) => {
          forget(commit.key);
          return database.remove(commit);
        },
      };
    },
  ),
];
