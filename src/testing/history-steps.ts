import type { HistoryEntry, PositionedEntry } from '../session/session.js';
import { expectEqual, expectThat } from './expect-equal.js';
import { keyOf, upTo } from './samples.js';
import { answerOf, append, insertActive, repeatUntil } from './steps.js';
import type { EntriesOutcome, HistorySlice, SessionKey, TodaysStore } from './todays-store.js';

export const key = keyOf('one');

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A part of a history, with the entries as they were appended. */
export type Part = Omit<Found, 'entries'> & { readonly entries: readonly HistoryEntry[] };

export const withoutPosition = ({ position: _, ...entry }: PositionedEntry): HistoryEntry => entry;

/** A part of a history, with the positions of its entries. */
export const foundIn = async (
  store: TodaysStore,
  slice: HistorySlice,
  of: SessionKey = key,
): Promise<Found> => {
  const found = await answerOf(store.findEntries(of, slice));
  if (found.outcome === 'found') return found;
  throw new Error(`findEntries answered ${found.outcome}`);
};

export const partOf = async (
  store: TodaysStore,
  slice: HistorySlice,
  of: SessionKey = key,
): Promise<Part> => {
  const found = await foundIn(store, slice, of);
  return { ...found, entries: found.entries.map(withoutPosition) };
};

export const contentsOf = ({ entries }: Part): readonly string[] =>
  entries.map(({ content }) => content);

/** More parts than any history in these cases has. */
export const MAXIMUM_PARTS = 1000;

/** All entries after a position, read in parts of at most `limit`. */
export const readOn = async (
  store: TodaysStore,
  after: number,
  limit: number,
): Promise<readonly HistoryEntry[]> => {
  const entries: HistoryEntry[] = [];
  let position = after;
  await repeatUntil('a part without hasMore', MAXIMUM_PARTS, async () => {
    const part = await partOf(store, { after: position, limit });
    expectThat(part.entries.length <= limit, `at most ${limit} entries are given`);
    entries.push(...part.entries);
    if (!part.hasMore) return true;
    expectThat(part.entries.length > 0, 'where there is more, there is something');
    expectThat(
      part.position > position,
      `the position ${part.position} is higher than ${position}`,
    );
    position = part.position;
    return false;
  });
  return entries;
};

/** All entries before a position, read back in parts of at most `limit`. */
export const readBack = async (
  store: TodaysStore,
  before: number,
  limit: number,
): Promise<readonly HistoryEntry[]> => {
  let entries: readonly HistoryEntry[] = [];
  let start = before;
  await repeatUntil('the beginning of the history', MAXIMUM_PARTS, async () => {
    const part = await partOf(store, { before: start, limit });
    expectThat(part.entries.length <= limit, `at most ${limit} entries are given`);
    expectEqual(part.position, start, 'the position after the part');
    expectThat(start === 0 || part.start < start, `the start ${part.start} is lower than ${start}`);
    expectThat(
      part.start === 0 || part.entries.length > 0,
      'before every part but the first there is something',
    );
    entries = [...part.entries, ...entries];
    start = part.start;
    return start === 0;
  });
  return entries;
};

/**
 * Appends several times, with and without `operationId`. Returns the texts, and the position after
 * each append.
 */
export const insertTalk = async (store: TodaysStore) => {
  await insertActive(store, key);
  const said: string[] = [];
  const marks: { readonly position: number; readonly count: number }[] = [];
  for (const turn of upTo(9)) {
    const contents = upTo(1 + (turn % 4)).map((part) => `turn ${turn}, ${part}`);
    const position = await append(store, key, contents, turn % 3 === 0 ? `op-${turn}` : undefined);
    said.push(...contents);
    marks.push({ position, count: said.length });
  }
  return { said, marks };
};
