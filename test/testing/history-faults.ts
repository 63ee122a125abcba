import { ok } from 'neverthrow';
import type { PositionedEntry } from '../../src/session/session.js';
import type { UseChange } from '../../src/store/commit.js';
import type { EntriesOutcome } from '../../src/store/session-store.js';
import { type Fault, faulty, withEntries } from './faulty-store.js';

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A store that finds something else than what is there. */
const misreading = (does: string, misread: (found: Found) => Found): Fault =>
  faulty('history:', does, (inner) => ({
    entries: (key, slice) =>
      inner
        .entries(key, slice)
        .map((found) => (found.outcome === 'found' ? misread(found) : found)),
  }));

const partFaults: readonly Fault[] = [
  misreading('gives the newest first', (found) => ({
    ...found,
    entries: found.entries.toReversed(),
  })),
  misreading('never says that there is more', (found) => ({ ...found, hasMore: false })),
  misreading('says that there is more where there may be', (found) => ({
    ...found,
    hasMore: found.entries.length > 0,
  })),
  misreading('loses lone surrogates', (found) => ({
    ...found,
    entries: found.entries.map((entry) => ({
      ...entry,
      content: Buffer.from(entry.content).toString(),
    })),
  })),
  misreading('cuts long entries', (found) => ({
    ...found,
    entries: found.entries.map((entry) => ({ ...entry, content: entry.content.slice(0, 16_384) })),
  })),
  faulty('history:', 'gives the first for the last', (inner) => ({
    entries: (key, slice) =>
      inner.entries(
        key,
        slice.after === undefined && slice.before === undefined
          ? { after: 0, limit: slice.limit }
          : slice,
      ),
  })),
  faulty('history:', 'gives the entry before the position too', (inner) => ({
    entries: (key, slice) =>
      inner.entries(
        key,
        slice.after === undefined ? slice : { ...slice, after: Math.max(0, slice.after - 1) },
      ),
  })),
  faulty('history:', 'gives the entry after the position too', (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).andThen((found) => {
        if (found.outcome !== 'found' || slice.before === undefined || !found.hasMore)
          return ok(found);
        return inner.entries(key, { ...slice, before: slice.before + 1 });
      }),
  })),
  faulty('history:', 'has no start', (inner) => ({
    entries: (key, slice) =>
      inner
        .entries(key, slice)
        .map((found) => (found.outcome === 'found' ? { ...found, start: 0 } : found)),
  })),
  faulty('history:', 'gives all that there is', (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice.after === undefined ? slice : { ...slice, limit: 10_000 }),
  })),
  faulty('history:', 'takes what is beyond the end for the end', (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).andThen((found) => {
        return found.outcome === 'invalid_position'
          ? inner.entries(key, { after: 0, limit: 10_000 })
          : ok(found);
      }),
  })),
  faulty('history:', 'finds nothing where no session is', (inner) => ({
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
  })),
  faulty('history:', 'counts positions from the end', (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).map((found) => {
        return found.outcome === 'found' && slice.after === undefined
          ? { ...found, position: 0 }
          : found;
      }),
  })),
  faulty('ownership:', 'shares the parts of histories that it keeps', (inner) => {
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
  }),
];

/** A store that judges the limit of entries in another way. */
const misjudging = (
  does: string,
  misjudge: (commit: UseChange, limit: number, count: number) => UseChange,
): Fault =>
  faulty('guards: a change', does, (inner) => ({
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

const boundFaults: readonly Fault[] = [
  misjudging('knows no bound', (commit) => limited(commit, undefined)),
  misjudging('stops one short of the bound', (commit, limit) => limited(commit, limit - 1)),
  misjudging('asks whether there is room for one', (commit, limit) => {
    const { entries = [] } = commit.effects;
    return limited(commit, limit + entries.length - 1);
  }),
  misjudging('adds as many as there is room for', (commit, limit, count) => {
    const room = Math.max(0, limit - count);
    return withEntries(commit, (entries) => entries.slice(0, room));
  }),
  misjudging('counts what a rewind takes out', (commit, limit, count) => {
    const { entries = [] } = commit.effects;
    return count + entries.length > limit ? limited(commit, -1) : commit;
  }),
];

/** Mistakes with parts and bounds of histories that the contract must find. */
export const historyFaults: readonly Fault[] = [...partFaults, ...boundFaults];
