import { expectEqual } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, keyOf, NOON, operationOf, say } from '../samples.js';
import { answerOf, append, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { AppendOutcome, TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** Appends an entry for each of `contents` to a history with a maximum of `maxEntries` entries. */
const appendUpTo = (
  store: TodaysStore,
  maxEntries: number,
  contents: readonly string[],
  operationId?: string,
): Promise<AppendOutcome> => {
  const entries = contents.map((content) => say(content));
  const named = operationId === undefined ? {} : { operation: operationOf(operationId) };
  return answerOf(store.append(key, { entries, now: NOON, maxEntries, ...named }));
};

const full: AppendOutcome = { outcome: 'full' };

export const maxEntries: readonly StoreCase[] = [
  {
    name: 'maxEntries: a history accepts entries up to the limit, and not one more',
    run: async (store) => {
      await insertActive(store, key);
      for (const content of ['a', 'b', 'c']) {
        expectEqual(
          (await appendUpTo(store, 3, [content])).outcome,
          'appended',
          `append of ${content}`,
        );
      }
      expectEqual(await appendUpTo(store, 3, ['d']), full, 'one more');
      expectEqual(await said(store, key), ['a', 'b', 'c'], 'the history');
    },
  },
  {
    name: 'maxEntries: a call adds all of its entries or none',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual(
        await appendUpTo(store, 3, ['a', 'b', 'c', 'd']),
        full,
        'more at once than a history may have',
      );
      expectEqual(await said(store, key), [], 'the history');
      expectEqual((await appendUpTo(store, 3, ['a', 'b'])).outcome, 'appended', 'some');
      expectEqual(await appendUpTo(store, 3, ['c', 'd']), full, 'more than there is room for');
      expectEqual(
        (await appendUpTo(store, 3, ['c'])).outcome,
        'appended',
        'as many as there is room for',
      );
      expectEqual(await said(store, key), ['a', 'b', 'c'], 'the history');
    },
  },
  {
    name: 'maxEntries: each call has its own limit, or none',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['a', 'b', 'c']);
      expectEqual(
        await appendUpTo(store, 2, ['d']),
        full,
        'to a history that is beyond it already',
      );
      expectEqual((await appendUpTo(store, 4, ['d'])).outcome, 'appended', 'with a higher one');
      await append(store, key, ['e']);
      expectEqual(await said(store, key), ['a', 'b', 'c', 'd', 'e'], 'the history');
    },
  },
  {
    name: 'maxEntries: a repeated append is recognised in a full history',
    run: async (store) => {
      await insertActive(store, key);
      const first = await appendUpTo(store, 2, ['a', 'b'], 'op');
      expectEqual(first.outcome, 'appended', 'the first');
      const second = await appendUpTo(store, 2, ['a', 'b'], 'op');
      expectEqual(second, { ...first, repeated: true }, 'the second of its name');
      const third = await appendUpTo(store, 1, ['a', 'b'], 'op');
      expectEqual(third, { ...first, repeated: true }, 'the third, with a lower bound');
      expectEqual(await appendUpTo(store, 2, ['c'], 'other'), full, 'another');
      expectEqual(await said(store, key), ['a', 'b'], 'the history');
    },
  },
  {
    name: 'maxEntries: an append that found the history full leaves its operationId free',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual(await appendUpTo(store, 1, ['a', 'b'], 'op'), full, 'the first');
      const made = await appendUpTo(store, 2, ['a', 'b'], 'op');
      expectEqual(made.outcome, 'appended', 'the second, with a higher bound');
      const third = await appendUpTo(store, 2, ['a', 'b'], 'op');
      expectEqual(third, { ...made, repeated: true }, 'the third');
      expectEqual(await said(store, key), ['a', 'b'], 'the history');
    },
  },
  {
    name: 'maxEntries: closed and missing come before full',
    run: async (store) => {
      expectEqual(
        await appendUpTo(store, 1, ['a', 'b']),
        { outcome: 'missing' },
        'without a session',
      );
      await insertActive(store, key);
      const state = ended('terminated', { revision: 3 });
      await replace(store, key, state);
      expectEqual(
        await appendUpTo(store, 1, ['a', 'b']),
        { outcome: 'closed', state },
        'after the end',
      );
    },
  },
  {
    name: 'races: 50 appends at once fill a history up to its limit, and not further',
    run: async (store, second) => {
      await insertActive(store, key);
      const outcomes = await race(store, second, async (each, writer) => {
        const named = writer % 3 === 0 ? `op-${writer}` : undefined;
        const { outcome } = await appendUpTo(each, 20, [`${writer}`], named);
        return { outcome, content: `${writer}` };
      });
      const kept = outcomes
        .filter(({ outcome }) => outcome === 'appended')
        .map(({ content }) => content);
      expectEqual(
        outcomes.filter(({ outcome }) => outcome === 'full').length,
        WRITERS - 20,
        'appends that were refused',
      );
      expectEqual((await said(store, key))?.toSorted(), kept.toSorted(), 'the history');
    },
  },
];
