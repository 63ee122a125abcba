import type { HistoryEntry, PositionedEntry } from '../session/session.js';
import type { SessionKey } from '../session/session-key.js';
import type { HistorySlice, SessionStore } from '../store/session-store.js';
import { answerOf, expectEqual, expectThat, repeatUntil } from './answers.js';
import { append, begin, foundIn, key } from './commits.js';
import { operationOf, upTo } from './samples.js';

/** A part of a history, with the entries as they were appended. */
export type Part = Omit<Awaited<ReturnType<typeof foundIn>>, 'entries'> & {
  readonly entries: readonly HistoryEntry[];
};

export const withoutPosition = ({ position: _, ...entry }: PositionedEntry): HistoryEntry => entry;

export const partOf = async (store: SessionStore, slice: HistorySlice): Promise<Part> => {
  const found = await foundIn(store, slice);
  return { ...found, entries: found.entries.map(withoutPosition) };
};

export const textsOf = (entries: readonly HistoryEntry[]): readonly string[] =>
  entries.map(({ content }) => content);

export const expectOutcome = async (
  store: SessionStore,
  of: SessionKey,
  slice: Partial<HistorySlice>,
  outcome: string,
): Promise<void> => {
  const found = await answerOf(store.entries(of, { limit: 10, ...slice }));
  expectEqual(found, { outcome }, `entries(${JSON.stringify([of, slice])})`);
};

/** More parts than any history of the cases has. */
export const MAXIMUM_PARTS = 1000;

/** All entries after a position, read in parts. `check` sees each of them. */
export const readOn = async (
  store: SessionStore,
  after: number,
  slice: { readonly limit: number; readonly maxBytes?: number },
  check?: (part: Part) => void,
): Promise<readonly HistoryEntry[]> => {
  const entries: HistoryEntry[] = [];
  let position = after;
  await repeatUntil('a part without hasMore', MAXIMUM_PARTS, async () => {
    const part = await partOf(store, { ...slice, after: position });
    check?.(part);
    expectThat(part.entries.length <= slice.limit, `at most ${slice.limit} entries are returned`);
    const isEmpty = part.entries.length === 0;
    const mayBeEmpty = position === after && !part.hasMore;
    expectThat(!isEmpty || mayBeEmpty, 'a part before or after others contains entries');
    entries.push(...part.entries);
    if (!part.hasMore) return true;
    expectThat(part.position > position, `the position ${part.position} is above ${position}`);
    position = part.position;
    return false;
  });
  return entries;
};

/** All entries before a position, read back in parts of at most `limit`. */
export const readBack = async (
  store: SessionStore,
  before: number,
  limit: number,
): Promise<readonly HistoryEntry[]> => {
  let entries: readonly HistoryEntry[] = [];
  let start = before;
  await repeatUntil('the beginning of the history', MAXIMUM_PARTS, async () => {
    const part = await partOf(store, { before: start, limit });
    expectThat(part.entries.length <= limit, `at most ${limit} entries are returned`);
    expectEqual(part.position, start, 'the position after the part');
    expectThat(start === 0 || part.start < start, `the start ${part.start} is below ${start}`);
    expectThat(part.start === 0 || part.entries.length > 0, 'a part after others has entries');
    entries = [...part.entries, ...entries];
    start = part.start;
    return start === 0;
  });
  return entries;
};

/** Appends several times, some as operations. Returns the contents. */
export const addTalk = async (store: SessionStore): Promise<readonly string[]> => {
  await begin(store, key);
  const said: string[] = [];
  for (const turn of upTo(9)) {
    const contents = upTo(1 + (turn % 4)).map((part) => `turn ${turn}, ${part}`);
    const operation = operationOf(`op-${turn}`);
    await append(store, key, contents, turn % 3 === 0 ? { operation } : {});
    said.push(...contents);
  }
  return said;
};
