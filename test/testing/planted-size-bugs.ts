import { err, ok } from 'neverthrow';
import { noOptions, type SessionRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { noTerms } from '../../src/testing/samples.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

/** The size of the sessions, for a store that counts them in another way. */
const tooLargeOf = (
  { maxBytes = Number.POSITIVE_INFINITY }: ReadSize,
  bytes: number,
  sessions: number,
) =>
  bytes > maxBytes ? err({ type: 'too_large', message: '', bytes, sessions } as const) : undefined;

const tooLargeBugs: readonly PlantedBug[] = [
  planted(
    'counts characters of the history, and forgets the options',
    'too_large: find and page report about the JSON size above maxBytes',
    (inner) => ({
      find: (key, { maxBytes, ...size } = {}) => {
        const found = inner.find(key, size);
        const history = found._unsafeUnwrap()?.history ?? [];
        const characters = history.reduce((sum, { content }) => sum + content.length, 0);
        return tooLargeOf({ maxBytes }, characters, 1) ?? found;
      },
    }),
  ),
  planted(
    'compares each session of a page by itself',
    'too_large: find and page report about the JSON size above maxBytes',
    (inner) => ({
      page: (tenant, { maxBytes, ...range }) => {
        const page = inner.page(tenant, range);
        for (const { head } of page._unsafeUnwrap().records) {
          const found = inner.find({ tenant, id: head.id }, { maxBytes });
          if (found.isErr()) return err(found.error);
        }
        return page;
      },
    }),
  ),
  planted(
    'counts the session after the page',
    'too_large: find and page report about the JSON size above maxBytes',
    (inner) => ({
      page: (tenant, range) =>
        inner
          .page(tenant, { ...range, limit: range.limit + 1 })
          .andThen(() => inner.page(tenant, range)),
    }),
  ),
  planted(
    'reserves room for what is not there',
    'too_large: missing sessions and empty pages are never too large',
    (inner) => ({
      find: (key, size = {}) =>
        inner
          .find(key, size)
          .andThen(
            (found) => (found === undefined ? tooLargeOf(size, 300, 1) : undefined) ?? ok(found),
          ),
    }),
  ),
  planted(
    'counts whole histories where only the latest entries are read',
    'too_large: with historyLimit, only the entries that are read count',
    (inner) => ({
      page: (tenant, { historyLimit, ...range }) =>
        inner.page(tenant, range).andThen(() => inner.page(tenant, { ...range, historyLimit })),
    }),
  ),
];

const limitBugs: readonly PlantedBug[] = [
  planted(
    'gives the whole history for a historyLimit of 0',
    'historyLimit: find returns the latest entries, oldest first',
    (inner) => ({
      find: (key, size) => inner.find(key, { historyLimit: size?.historyLimit || undefined }),
    }),
  ),
  planted(
    'shares one historyLimit between the sessions of a page',
    'historyLimit: page limits each history separately',
    (inner) => ({
      page: (tenant, { historyLimit = 10_000, ...range }) =>
        inner.page(tenant, range).map((page) => {
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
    'historyLimit: page limits each history separately',
    (inner) => ({
      page: (...args) =>
        inner.page(...args).map((page) => ({
          ...page,
          records: page.records.map((record) => ({
            ...record,
            historyCount: record.history.length,
          })),
        })),
    }),
  ),
  planted(
    'makes up a session of which it reads a part',
    'historyLimit: find returns the latest entries, oldest first',
    (inner) => {
      const made: SessionRecord = {
        head: {
          id: 'one',
          options: noOptions,
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
          work: {},
        },
        history: [],
        historyCount: 0,
        sequence: 1,
        historyVersion: 'none',
        historyPosition: 0,
      };
      const isPart = (size: ReadSize | undefined) => size?.historyLimit !== undefined;
      return {
        find: (key, size) =>
          inner.find(key, size).map((record) => record ?? (isPart(size) ? made : undefined)),
      };
    },
  ),
  planted(
    'hands out the entries that it keeps where it cuts a history',
    'ownership: changing what was read affects neither the store nor other readers',
    (inner) => {
      const kept = new Map<string, SessionRecord>();
      return {
        find: (key, size) =>
          inner.find(key, size).map((record) => {
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
    'maxBytes: limits the JSON of a part, and no part loses an entry',
    (inner) => ({
      entries: (key, { maxBytes: _, ...slice }) => inner.entries(key, slice),
    }),
  ),
  planted(
    'gives the first of the last entries where not all may be given',
    'maxBytes: of the last entries, a part contains the latest',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(key, slice).map((found) => {
          if (
            found.outcome !== 'found' ||
            slice.after !== undefined ||
            slice.maxBytes === undefined
          )
            return found;
          const all = inner.entries(key, { limit: slice.limit })._unsafeUnwrap();
          const entries = all.outcome === 'found' ? all.entries.slice(0, found.entries.length) : [];
          return { ...found, entries };
        }),
    }),
  ),
  planted(
    'gives nothing where one entry is too large',
    'maxBytes: a part contains at least one entry, whatever its size',
    (inner) => ({
      entries: (key, slice) =>
        inner
          .entries(key, slice)
          .map((found) =>
            found.outcome === 'found' && slice.maxBytes === 1 ? { ...found, entries: [] } : found,
          ),
    }),
  ),
  planted(
    'gives one entry less where there is a bound',
    'maxBytes: a part contains at least one entry, whatever its size',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(
          key,
          'limit' in slice && slice.maxBytes !== undefined
            ? { ...slice, limit: Math.max(1, slice.limit - 1) }
            : slice,
        ),
    }),
  ),
];

/** Bugs in reads of parts. */
export const plantedSizeBugs: readonly PlantedBug[] = [...tooLargeBugs, ...limitBugs, ...bytesBugs];
