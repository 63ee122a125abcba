import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, begin } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { hostileTexts } from '../hostile-texts.js';
import { headOf, keyOf, NOON, say, TENANT } from '../samples.js';
import type { StoreCase } from '../store-case.js';

/** Short texts, texts that break code, and one that is longer than all others together. */
const texts = ['a', 'b', ...hostileTexts, 'x'.repeat(100_000), 'c', 'd', 'e'];

/** The last `count` items; none for 0. */
const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(Math.max(0, items.length - count));

export const historyLimits: readonly StoreCase<SessionStore>[] = [
  {
    name: 'historyLimit: find returns the latest entries, oldest first, or all if there are fewer',
    run: async (store) => {
      await begin(store, key, { entries: texts.slice(0, 5).map((text) => say(text)) });
      for (const text of texts.slice(5)) await append(store, key, [text]);
      const whole = await answerOf(store.find(key));
      expectEqual(whole?.historyCount, texts.length, 'the number of entries');
      for (const historyLimit of [0, 1, 4, 10, texts.length - 1, texts.length, 10_000]) {
        const history = lastOf(texts, historyLimit).map((text) => say(text));
        const found = await answerOf(store.find(key, { historyLimit }));
        expectEqual(found, whole && { ...whole, history }, `with ${historyLimit}`);
      }
      for (const historyLimit of [0, 1])
        expectEqual(await answerOf(store.find(keyOf('two'), { historyLimit })), undefined, 'none');
    },
  },
  {
    name: 'historyLimit: page cuts each history by itself',
    run: async (store) => {
      for (const [at, count] of [0, 1, 3, 20].entries())
        await begin(store, keyOf(`s${at}`), {
          head: headOf(`s${at}`, NOON + at),
          entries: texts.slice(0, count).map((text) => say(text)),
        });
      const range = { offset: 0, limit: 10 };
      const whole = await answerOf(store.page(TENANT, range));
      for (const historyLimit of [0, 1, 2, 3, 19, 20, 21]) {
        const page = await answerOf(store.page(TENANT, { ...range, historyLimit }));
        const records = whole.records.map((record) => ({
          ...record,
          history: lastOf(record.history, historyLimit),
        }));
        expectEqual(page, { ...whole, records }, `with at most ${historyLimit} of each`);
      }
    },
  },
];
