import { ok } from 'neverthrow';
import type { PositionedEntry } from '../../src/session/session.js';
import type { UseChange } from '../../src/store/commit.js';
import type { EntriesOutcome } from '../../src/store/session-store.js';
import { withEntries } from './faulty-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const LATEST = 'history: a part without a position contains the latest entries, oldest first';

const PARTS =
  'history: parts in either direction from any position contain each entry once and in order';

const CONTENTS = 'history: any text, id and data is read as written, one by one and together';

const WITHIN = 'guards: a change that passes entries is made';

const BEYOND = 'guards: a change that fails entries writes nothing';

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A store that finds something else than what is there. */
const misreading = (bug: string, caughtBy: string, misread: (found: Found) => Found): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    entries: (key, slice) =>
      inner
        .entries(key, slice)
        .map((found) => (found.outcome === 'found' ? misread(found) : found)),
  }));

const partFaults: readonly PlantedBug[] = [
  misreading('gives the newest first', LATEST, (found) => ({
    ...found,
    entries: found.entries.toReversed(),
  })),
  misreading('never says that there is more', LATEST, (found) => ({ ...found, hasMore: false })),
  misreading('says that there is more where there may be', LATEST, (found) => ({
    ...found,
    hasMore: found.entries.length > 0,
  })),
  misreading('loses lone surrogates', CONTENTS, (found) => ({
    ...found,
    entries: found.entries.map((entry) => ({
      ...entry,
      content: Buffer.from(entry.content).toString(),
    })),
  })),
  misreading('cuts long entries', CONTENTS, (found) => ({
    ...found,
    entries: found.entries.map((entry) => ({ ...entry, content: entry.content.slice(0, 16_384) })),
  })),
  planted('gives the first for the last', LATEST, (inner) => ({
    entries: (key, slice) =>
      inner.entries(
        key,
        slice.after === undefined && slice.before === undefined
          ? { after: 0, limit: slice.limit }
          : slice,
      ),
  })),
  planted('gives the entry before the position too', PARTS, (inner) => ({
    entries: (key, slice) =>
      inner.entries(
        key,
        slice.after === undefined ? slice : { ...slice, after: Math.max(0, slice.after - 1) },
      ),
  })),
  planted('gives the entry after the position too', PARTS, (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).andThen((found) => {
        if (found.outcome !== 'found' || slice.before === undefined || !found.hasMore)
          return ok(found);
        return inner.entries(key, { ...slice, before: slice.before + 1 });
      }),
  })),
  planted('has no start', PARTS, (inner) => ({
    entries: (key, slice) =>
      inner
        .entries(key, slice)
        .map((found) => (found.outcome === 'found' ? { ...found, start: 0 } : found)),
  })),
  planted('gives all that there is', PARTS, (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice.after === undefined ? slice : { ...slice, limit: 10_000 }),
  })),
  planted(
    'takes what is beyond the end for the end',
    'history: a position after the end returns invalid_position',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(key, slice).andThen((found) => {
          return found.outcome === 'invalid_position'
            ? inner.entries(key, { after: 0, limit: 10_000 })
            : ok(found);
        }),
    }),
  ),
  planted(
    'finds nothing where no session is',
    'history: unknown, removed and foreign sessions are missing',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(key, slice).map((found): EntriesOutcome => {
          return found.outcome === 'missing'
            ? {
                outcome: 'found',
                entries: [],
                start: 0,
                position: 0,
                hasMore: false,
                isSuperseded: false,
                version: '1',
              }
            : found;
        }),
    }),
  ),
  planted('counts positions from the end', LATEST, (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).map((found) => {
        return found.outcome === 'found' && slice.after === undefined
          ? { ...found, position: 0 }
          : found;
      }),
  })),
  planted(
    'shares the parts of histories that it keeps',
    'ownership: changing what was read affects neither the store nor other readers',
    (inner) => {
      const kept = new Map<string, PositionedEntry[]>();
      return {
        entries: (key, slice) =>
          inner.entries(key, slice).map((found) => {
            if (found.outcome !== 'found') return found;
            const label = JSON.stringify([key, slice, found.entries.length]);
            const entries = kept.get(label) ?? structuredClone([...found.entries]);
            kept.set(label, entries);
            return { ...found, entries };
          }),
      };
    },
  ),
];

/** A store that judges the limit of entries in another way. */
const misjudging = (
  bug: string,
  caughtBy: string,
  misjudge: (commit: UseChange, limit: number, count: number) => UseChange,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    use: (commit) => {
      const { historyCount = 0 } = inner.find(commit.key)._unsafeUnwrap() ?? {};
      const { entries = 1e9 } = commit.guards;
      return inner.change(misjudge(commit, entries, historyCount));
    },
  }));

const limited = (commit: UseChange, entries: number | undefined): UseChange => ({
  ...commit,
  guards: { ...commit.guards, entries },
});

const boundFaults: readonly PlantedBug[] = [
  misjudging('knows no bound', BEYOND, (commit) => limited(commit, undefined)),
  misjudging('stops one short of the bound', WITHIN, (commit, limit) => limited(commit, limit - 1)),
  misjudging('asks whether there is room for one', BEYOND, (commit, limit) => {
    const { entries = [] } = commit.effects;
    return limited(commit, limit + entries.length - 1);
  }),
  misjudging('adds as many as there is room for', BEYOND, (commit, limit, count) => {
    const room = Math.max(0, limit - count);
    return withEntries(commit, (entries) => entries.slice(0, room));
  }),
  misjudging('counts what a rewind takes out', WITHIN, (commit, limit, count) => {
    const { entries = [] } = commit.effects;
    return count + entries.length > limit ? limited(commit, -1) : commit;
  }),
];

/** Mistakes with parts and bounds of histories that the contract must find. */
export const historyFaults: readonly PlantedBug[] = [...partFaults, ...boundFaults];
