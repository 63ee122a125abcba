import { expectEqual } from './expect-equal.js';
import { contentsOf, foundIn, key, partOf, readBack, readOn } from './history-steps.js';
import { NOON, say, TENANT } from './samples.js';
import { answerOf } from './steps.js';
import type { HistoryAppend, SessionKey, TodaysStore } from './todays-store.js';

type Conditions = Partial<Omit<HistoryAppend, 'entries' | 'now'>>;

/** Appends an entry for each of `contents`, under conditions. */
export const appendTo = (store: TodaysStore, contents: readonly string[], conditions: Conditions) =>
  answerOf(
    store.append(key, {
      entries: contents.map((content) => say(content)),
      now: NOON,
      ...conditions,
    }),
  );

/** Rewinds the history, and returns its new end. */
export const rewind = async (
  store: TodaysStore,
  after: number,
  contents: readonly string[] = [],
): Promise<number> => {
  const answer = await appendTo(store, contents, { after });
  if (answer.outcome === 'appended') return answer.position;
  throw new Error(`a rewind to ${after} answered ${answer.outcome}`);
};

/** The positions of all entries. */
export const positionsIn = async (
  store: TodaysStore,
  of: SessionKey = key,
): Promise<readonly number[]> =>
  (await foundIn(store, { after: 0, limit: 1000 }, of)).entries.map(({ position }) => position);

/** Fails unless all reads show exactly these entries. */
export const expectHistory = async (
  store: TodaysStore,
  contents: readonly string[],
  end: number,
): Promise<void> => {
  const found = await answerOf(store.find(key));
  expectEqual(
    found?.history.map(({ content }) => content),
    contents,
    'the history',
  );
  expectEqual(found?.historyCount, contents.length, 'the number of entries');
  const latest = await answerOf(store.find(key, { historyLimit: 2 }));
  expectEqual(
    [latest?.history.map(({ content }) => content), latest?.historyCount],
    [contents.slice(-2), contents.length],
    'the latest two entries',
  );
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  const listed = page.records.find(({ head }) => head.id === key.id);
  expectEqual(
    [listed?.history.map(({ content }) => content), listed?.historyCount],
    [contents, contents.length],
    'the history in a list',
  );
  const whole = await partOf(store, { limit: 1000 });
  expectEqual(
    [contentsOf(whole), whole.start, whole.position, whole.hasMore],
    [contents, 0, end, false],
    'the parts',
  );
  for (const limit of [1, 3]) {
    const on = await readOn(store, 0, limit);
    expectEqual(
      on.map(({ content }) => content),
      contents,
      `from the beginning, ${limit} at a time`,
    );
    const back = await readBack(store, end, limit);
    expectEqual(
      back.map(({ content }) => content),
      contents,
      `back from the end, ${limit} at a time`,
    );
  }
};

/** Numbers below `most` that look random, and are the same each time. */
export const numbers = (seed: number) => {
  let last = seed;
  return (most: number): number => {
    last = (last * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((last / 2 ** 31) * most);
  };
};
