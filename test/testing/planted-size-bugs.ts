import { err } from 'neverthrow';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { Admit, ReadSize } from '../../src/store/session-store.js';
import { noTerms } from '../../src/testing/samples.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

/** Asks `admit` with other numbers. */
const asking = <E>(
  admit: Admit<E> | undefined,
  numbers: (bytes: number, sessions: number) => readonly [number, number],
): Admit<E> | undefined => admit && ((bytes, sessions) => admit(...numbers(bytes, sessions)));

const admitBugs: readonly PlantedBug[] = [
  planted(
    'asks admit with characters of the history, and forgets the options',
    'admit: find asks once, with the size of the JSON of the session',
    (inner) => ({
      find: (key, size, admit) => {
        const history = inner.find(key, size)._unsafeUnwrap()?.history ?? [];
        const characters = history.reduce((sum, { content }) => sum + content.length, 0);
        return inner.find(
          key,
          size,
          asking(admit, (_, sessions) => [characters, sessions]),
        );
      },
    }),
  ),
  planted(
    'asks admit about each session of a page by itself',
    'admit: list asks once, with the size of the JSON of the sessions on the page',
    (inner) => ({
      list: (tenant, range, admit) => {
        for (const { head } of inner.list(tenant, range)._unsafeUnwrap().records) {
          const found = inner.find({ tenant, id: head.id }, range, admit);
          if (found.isErr()) return err(found.error);
        }
        return inner.list(tenant, range);
      },
    }),
  ),
  planted(
    'answers a copy of what admit has refused with',
    'admit: find and list return its refusal unchanged, and do not ask it again',
    (inner) => ({
      list: (...args) =>
        inner.list(...args).mapErr((error) => (typeof error === 'object' ? structuredClone(error) : error)),
    }),
  ),
  planted(
    'asks admit with whole histories where only the latest entries are read',
    'admit: with historyLimit it gets the size of what is read, not of the whole history',
    (inner) => ({
      list: (tenant, { historyLimit, ...range }, admit) =>
        inner.list(tenant, range, admit).andThen(() => inner.list(tenant, { ...range, historyLimit })),
    }),
  ),
];

const limitBugs: readonly PlantedBug[] = [
  planted(
    'gives the whole history for a historyLimit of 0',
    'historyLimit: find gives the latest entries, oldest first, none for 0, or all if there are fewer',
    (inner) => ({
      find: (key, size, admit) => inner.find(key, { historyLimit: size?.historyLimit || undefined }, admit),
    }),
  ),
  planted(
    'shares one historyLimit between the sessions of a page',
    'historyLimit: list cuts each history by itself',
    (inner) => ({
      list: (tenant, { historyLimit = 10_000, ...range }, admit) =>
        inner.list(tenant, range, admit).map((page) => {
          let left = historyLimit;
          const cut = (record: SessionRecord): SessionRecord => {
            const history = left === 0 ? [] : record.history.slice(-left);
            left -= history.length;
            return { ...record, history };
          };
          return { ...page, records: page.records.map(cut) };
        }),
    }),
  ),
  planted(
    'counts the entries that were read',
    'historyLimit: historyCount is the number of all entries, however many are read',
    (inner) => ({
      list: (...args) =>
        inner.list(...args).map((page) => ({
          ...page,
          records: page.records.map((record) => ({ ...record, historyCount: record.history.length })),
        })),
    }),
  ),
  planted('makes up a session of which it reads a part', 'historyLimit: an unknown session is undefined', (inner) => {
    const made: SessionRecord = {
      head: {
        id: 'one',
        options: { face: '', profile: '', context: '', behavior: '', timeLimit: 0 },
        createdAt: '2026-01-31T12:00:00.000Z',
      },
      state: {
        status: 'IDLE',
        revision: 1,
        since: 0,
        lastActivityAt: 0,
        activeMs: 0,
        limitMs: Number.POSITIVE_INFINITY,
        deadline: Number.POSITIVE_INFINITY,
        operations: [],
        terms: noTerms,
      },
      history: [],
      historyCount: 0,
      sequence: 1,
      incarnation: '',
    };
    const isPart = (size: ReadSize | undefined) => size?.historyLimit !== undefined;
    return {
      find: (key, size, admit) =>
        inner.find(key, size, admit).map((record) => record ?? (isPart(size) ? made : undefined)),
    };
  }),
  planted(
    'hands out the entries that it keeps where it cuts a history',
    'historyLimit: changing what was read changes nothing in the store',
    (inner) => {
      const kept = new Map<string, SessionRecord>();
      return {
        find: (key, size, admit) =>
          inner.find(key, size, admit).map((record) => {
            if (record === undefined || size?.historyLimit === undefined) return record;
            const label = `${labelOf(key)} ${record.sequence}`;
            const whole = kept.get(label) ?? inner.find(key)._unsafeUnwrap() ?? record;
            kept.set(label, whole);
            return { ...record, history: whole.history.slice(-size.historyLimit) };
          }),
      };
    },
  ),
];

const bytesBugs: readonly PlantedBug[] = [
  planted(
    'takes maxBytes for the most bytes of one entry',
    'maxBytes: a part has about this number of bytes of JSON, and all parts together have every entry once',
    (inner) => ({
      findEntries: (key, { maxBytes: _, ...slice }) => inner.findEntries(key, slice),
    }),
  ),
  planted(
    'gives the first of the last entries where not all may be given',
    'maxBytes: of the last entries, the latest are given',
    (inner) => ({
      findEntries: (key, slice) =>
        inner.findEntries(key, slice).map((found) => {
          if (found.outcome !== 'found' || slice.after !== undefined || slice.maxBytes === undefined) return found;
          const all = inner.findEntries(key, { limit: slice.limit })._unsafeUnwrap();
          const entries = all.outcome === 'found' ? all.entries.slice(0, found.entries.length) : [];
          return { ...found, entries };
        }),
    }),
  ),
  planted(
    'gives nothing where one entry is too large',
    'maxBytes: a part has at least one entry, however large that is',
    (inner) => ({
      findEntries: (key, slice) =>
        inner
          .findEntries(key, slice)
          .map((found) => (found.outcome === 'found' && slice.maxBytes === 1 ? { ...found, entries: [] } : found)),
    }),
  ),
  planted(
    'gives one entry less where there is a bound',
    'maxBytes: a limit above the size of the history changes nothing',
    (inner) => ({
      findEntries: (key, slice) =>
        inner.findEntries(
          key,
          'limit' in slice && slice.maxBytes !== undefined ? { ...slice, limit: Math.max(1, slice.limit - 1) } : slice,
        ),
    }),
  ),
];

/** Bugs in reads of parts. */
export const plantedSizeBugs: readonly PlantedBug[] = [...admitBugs, ...limitBugs, ...bytesBugs];
