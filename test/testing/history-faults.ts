import { ok } from 'neverthrow';
import type { PositionedEntry } from '../../src/session/session.js';
import type { EntriesOutcome } from '../../src/store/session-store.js';
import { type Fault, faulty } from './faulty-store.js';

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A store that finds something else than what is there. */
const misreading = (does: string, misread: (found: Found) => Found): Fault =>
  faulty('findEntries:', does, (inner) => ({
    findEntries: (key, slice) =>
      inner
        .findEntries(key, slice)
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
  faulty('findEntries:', 'gives the first for the last', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(
        key,
        slice.after === undefined && slice.before === undefined
          ? { after: 0, limit: slice.limit }
          : slice,
      ),
  })),
  faulty('findEntries:', 'gives the entry before the position too', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(
        key,
        slice.after === undefined ? slice : { ...slice, after: Math.max(0, slice.after - 1) },
      ),
  })),
  faulty('findEntries:', 'gives the entry after the position too', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(key, slice).andThen((found) => {
        if (found.outcome !== 'found' || slice.before === undefined || !found.hasMore)
          return ok(found);
        return inner.findEntries(key, { ...slice, before: slice.before + 1 });
      }),
  })),
  faulty('findEntries:', 'has no start', (inner) => ({
    findEntries: (key, slice) =>
      inner
        .findEntries(key, slice)
        .map((found) => (found.outcome === 'found' ? { ...found, start: 0 } : found)),
  })),
  faulty('findEntries:', 'gives all that there is', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(key, slice.after === undefined ? slice : { ...slice, limit: 10_000 }),
  })),
  faulty('findEntries:', 'takes what is beyond the end for the end', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(key, slice).andThen((found) => {
        return found.outcome === 'invalid_position'
          ? inner.findEntries(key, { after: 0, limit: 10_000 })
          : ok(found);
      }),
  })),
  faulty('findEntries:', 'finds nothing where no session is', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(key, slice).map((found): EntriesOutcome => {
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
  faulty('findEntries:', 'counts positions from the end', (inner) => ({
    findEntries: (key, slice) =>
      inner.findEntries(key, slice).map((found) => {
        return found.outcome === 'found' && slice.after === undefined
          ? { ...found, position: 0 }
          : found;
      }),
  })),
  faulty('findEntries:', 'shares what it keeps', (inner) => {
    const kept = new Map<string, PositionedEntry[]>();
    return {
      findEntries: (key, slice) =>
        inner.findEntries(key, slice).map((found) => {
          if (found.outcome !== 'found') return found;
          const label = JSON.stringify([key, slice, found.entries.length]);
          const entries = kept.get(label) ?? structuredClone([...found.entries]);
          kept.set(label, entries);
          return { ...found, entries };
        }),
    };
  }),
];

const boundFaults: readonly Fault[] = [
  faulty('maxEntries:', 'knows no bound', (inner) => ({
    append: (key, { maxEntries: _, ...append }) => inner.append(key, append),
  })),
  faulty('maxEntries:', 'stops one short of the bound', (inner) => ({
    append: (key, { maxEntries = 1e9, ...append }) =>
      inner.append(key, { ...append, maxEntries: maxEntries - 1 }),
  })),
  faulty('maxEntries:', 'asks whether there is room for one', (inner) => ({
    append: (key, { maxEntries = 1e9, ...append }) =>
      inner.append(key, { ...append, maxEntries: maxEntries + append.entries.length - 1 }),
  })),
  faulty('maxEntries:', 'adds as many as there is room for', (inner) => ({
    append: (key, { maxEntries = 1e9, entries, ...append }) => {
      const { historyCount = 0 } = inner.find(key)._unsafeUnwrap() ?? {};
      const room = Math.max(1, maxEntries - historyCount);
      return inner.append(key, { ...append, maxEntries, entries: entries.slice(0, room) });
    },
  })),
  faulty('maxEntries:', 'looks at the bound before it looks for the name', (inner) => ({
    append: (key, append) => {
      const { operation: _, ...unnamed } = append;
      const { historyCount = 0 } = inner.find(key)._unsafeUnwrap() ?? {};
      const isFull = historyCount + append.entries.length > (append.maxEntries ?? 1e9);
      return inner.append(key, isFull ? unnamed : append);
    },
  })),
];

/** Mistakes with parts and bounds of histories that the contract must find. */
export const historyFaults: readonly Fault[] = [...partFaults, ...boundFaults];
