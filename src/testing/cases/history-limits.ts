import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { ended, headOf, keyOf, NOON, say, TENANT } from '../samples.js';
import { answerOf, append, contentsOf, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

/** Short texts, texts that break code, and one that is longer than all others combined. */
const texts = ['a', 'b', ...hostileTexts, 'x'.repeat(100_000), 'c', 'd', 'e'];

const limits = [0, 1, 2, 3, 4, 10, texts.length - 1, texts.length, texts.length + 1, 10_000];

/** The last `count` items; none for 0. */
const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(Math.max(0, items.length - count));

export const historyLimits: readonly StoreCase[] = [
  {
    name: 'historyLimit: find gives the latest entries, oldest first, none for 0, or all if there are fewer',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, texts.slice(0, 5), 'first');
      for (const text of texts.slice(5)) await append(store, key, [text]);
      const whole = await answerOf(store.find(key));
      for (const historyLimit of limits) {
        const history = lastOf(texts, historyLimit).map((text) => say(text));
        expectEqual(
          await answerOf(store.find(key, { historyLimit })),
          whole && { ...whole, history },
          'the record',
        );
      }
    },
  },
  {
    name: 'historyLimit: list cuts each history by itself',
    run: async (store) => {
      const counts = [0, 1, 3, 20];
      for (const [at, count] of counts.entries()) {
        const each = keyOf(`s${at}`);
        const inserted = await insertActive(
          store,
          each,
          headOf(each.id, NOON + at, { context: 'algebra' }),
        );
        if (count > 0) await append(store, each, texts.slice(0, count));
        if (at === 2)
          await replace(store, each, ended('failed', { ...inserted.state, revision: 3 }));
      }
      const range = { offset: 0, limit: 10, order: 'oldest' } as const;
      const whole = await answerOf(store.list(TENANT, range));
      expectEqual(
        whole.records.map(({ history }) => history.length),
        counts,
        'the lengths of the histories',
      );
      for (const historyLimit of [0, 1, 2, 3, 19, 20, 21]) {
        const page = await answerOf(store.list(TENANT, { ...range, historyLimit }));
        const records = whole.records.map((record) => ({
          ...record,
          history: lastOf(record.history, historyLimit),
        }));
        expectEqual(
          page,
          { ...whole, records },
          `the page with at most ${historyLimit} entries of each`,
        );
      }
    },
  },
  {
    name: 'historyLimit: historyCount is the number of all entries, however many are read',
    run: async (store) => {
      await insert(store, key);
      const expectCount = async (count: number) => {
        for (const size of [
          undefined,
          { historyLimit: 0 },
          { historyLimit: 1 },
          { historyLimit: 1000 },
        ]) {
          expectEqual(
            (await answerOf(store.find(key, size)))?.historyCount,
            count,
            'historyCount of find',
          );
          const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10, ...size }));
          expectEqual(page.records[0]?.historyCount, count, 'historyCount of list');
        }
      };
      await expectCount(0);
      await answerOf(store.remove(key));
      await insertActive(store, key);
      await append(store, key, ['a', 'b', 'c'], 'op');
      await append(store, key, ['d']);
      await append(store, key, ['a', 'b', 'c'], 'op');
      await expectCount(4);
    },
  },
  {
    name: 'historyLimit: an unknown session is undefined',
    run: async (store) => {
      for (const historyLimit of [0, 1, 100]) {
        expectEqual(await answerOf(store.find(key, { historyLimit })), undefined, 'the record');
      }
    },
  },
  {
    name: 'historyLimit: changing what was read changes nothing in the store',
    run: async (store) => {
      const inserted = await insertActive(store, key);
      await append(store, key, ['hello', 'goodbye']);
      const found = await answerOf(store.find(key, { historyLimit: 1 }));
      for (const entry of found?.history ?? []) Reflect.set(entry, 'content', 'vandalized');
      Reflect.set(found?.head.options ?? {}, 'face', 'vandalized');
      const again = await answerOf(store.find(key, { historyLimit: 2 }));
      const expected = { ...inserted, history: [say('hello'), say('goodbye')] };
      expectEqual(again && contentsOf(again), expected, 'what is read next');
    },
  },
];
