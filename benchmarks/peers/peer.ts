import type { Subject } from '../harness/index.js';
import { utterances } from '../seed.js';
import { type Count, expect } from '../subjects/suite.js';

/** Small sizes, to see that everything works. */
export const QUICK = process.argv.includes('--quick');

/** What each store is filled with. */
export const SESSIONS = QUICK ? 200 : 10_000;
export const ENTRIES = 10;
export const PAGE = 10;

/** A page far from the beginning: 500 of 1,000. */
export const MIDDLE = SESSIONS / PAGE / 2;

/** The entries of one long session, and how many of them a caller asks for. */
export const LONG = 1000;
export const LATEST = 10;

/** Another library's store, filled. */
export interface Peer {
  readonly lists: readonly Subject[];
  readonly appends: readonly Subject[];
  /** The latest entries of the long session. */
  readonly gets: readonly Subject[];
  /** What happens to data when callers race; asked after all measurements. */
  readonly counts: () => Promise<readonly Count[]>;
  readonly close: () => Promise<unknown>;
}

/** What the table shows next to a figure. */
interface Row {
  readonly name: string;
  /** What it stores and returns, and what it does not. */
  readonly note: string;
  /** The row of Colloquy that does the same. Default: the first of the group. */
  readonly beside?: string;
}

const rowOf = ({ name, note, beside }: Row) => ({
  name,
  note,
  ...(beside !== undefined && { beside: [beside] }),
});

/** A way to list sessions. Its answer is checked once before the measurement. */
export const listing = async <T>(
  row: Row,
  call: () => Promise<T>,
  check: (answer: T) => void,
): Promise<Subject> => {
  check(await call());
  return { ...rowOf(row), call };
};

/** A way to append one entry. Calls go to all sessions in turns, so that none becomes long. */
export const appending = (
  row: Row,
  append: (at: number) => Promise<unknown>,
  entriesIn: (at: number) => Promise<number>,
): Subject => {
  let calls = 0;
  return {
    ...rowOf(row),
    call: () => {
      calls += 1;
      return append(calls % SESSIONS);
    },
    check: async () => {
      const before = await entriesIn(0);
      await append(0);
      expect((await entriesIn(0)) === before + 1, `${row.name} adds one entry`);
    },
  };
};

export const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => at);

/** The same texts for every store. */
export const entriesOf = (
  seed: number,
  count = ENTRIES,
): { readonly role: 'user' | 'assistant'; readonly content: string }[] => {
  const next = utterances(seed);
  return upTo(count).map((at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: next() }));
};

/** What is appended. */
export const SAID = {
  role: 'user',
  content: 'Could you tell me how long the appointment takes before we go on?',
} as const;

export const LONG_HISTORY = entriesOf(SESSIONS + 1, LONG);

const LATEST_TEXTS = LONG_HISTORY.slice(-LATEST).map(({ content }) => content);

/** A way to read the latest entries of the long session; gives their texts, oldest first. */
export const getting = (row: Row, call: () => Promise<readonly unknown[]>): Subject => ({
  ...rowOf(row),
  call,
  check: (texts) =>
    expect(JSON.stringify(texts) === JSON.stringify(LATEST_TEXTS), `${row.name} gives the latest`),
});

/** Number of sessions that are written concurrently while a store is filled. */
const IN_FLIGHT = 100;

export const fill = async (
  write: (at: number) => Promise<unknown>,
  inFlight = IN_FLIGHT,
): Promise<void> => {
  for (let from = 0; from < SESSIONS; from += inFlight) {
    await Promise.all(upTo(Math.min(inFlight, SESSIONS - from)).map((at) => write(from + at)));
  }
};
