import type { Subject } from '../harness/index.js';
import { utterances } from '../seed.js';
import type { Count } from '../subjects/suite.js';

/** What each store is filled with. */
export const SESSIONS = 10_000;
export const ENTRIES = 10;
export const PAGE = 10;

/** Number of concurrent changes of one session. */
export const CHANGES = 50;

/** Another library's store, filled. */
export interface Peer {
  readonly subjects: readonly Subject[];
  /** What becomes of data where callers meet; asked for when the lists have been measured. */
  readonly counts: () => Promise<readonly Count[]>;
  readonly close: () => Promise<unknown>;
}

/** A way to list sessions. Its answer is checked once before the measurement. */
export const listing = async <T>(
  name: string,
  note: string,
  call: () => Promise<T>,
  check: (answer: T) => void,
): Promise<Subject> => {
  check(await call());
  return { name, note, call };
};

export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** The same texts for every store. */
export const entriesOf = (seed: number): { readonly role: 'user' | 'assistant'; readonly content: string }[] => {
  const next = utterances(seed);
  return upTo(ENTRIES).map((at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: next() }));
};

/** Number of sessions that are written concurrently while a store is filled. */
const IN_FLIGHT = 100;

export const fill = async (write: (at: number) => Promise<unknown>, inFlight = IN_FLIGHT): Promise<void> => {
  for (let from = 0; from < SESSIONS; from += inFlight) {
    await Promise.all(upTo(Math.min(inFlight, SESSIONS - from)).map((at) => write(from + at)));
  }
};

/** The number of changes that are stored after all callers got a success. */
export const keptChanges = (by: string, value: number): Count => ({
  figure: `${by}: kept, of ${CHANGES} changes made to one session at the same time`,
  value,
  unit: 'changes',
});
