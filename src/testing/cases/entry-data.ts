import type { HistoryEntry, JsonValue } from '../../session/session.js';
import { expectEqual } from '../expect-equal.js';
import { foundIn, key, partOf } from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { NOON, say } from '../samples.js';
import { answerOf, insertActive } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const values: readonly JsonValue[] = [
  'text',
  '',
  0,
  -1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  [],
  {},
  [null, [[]], { a: [1, 'two', { three: null }] }],
  {
    toolCalls: [{ toolName: 'search', input: { q: 'a "quoted" text\n' } }],
    tokens: { in: 12, out: 3 },
  },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"no"}'),
  Object.fromEntries(hostileTexts.map((text, at) => [`${at}${text}`, text])),
];

const entries: readonly HistoryEntry[] = [
  say('neither'),
  { ...say('an id'), id: 'm-1' },
  ...values.map((data, at) => ({ ...say(`data ${at}`), data })),
  ...hostileTexts.map((id) => ({ ...say('both'), id: `${id}.`, data: { id } })),
  say('neither again'),
];

/** The cases of the `id` and the `data` of entries. */
export const entryData: readonly StoreCase[] = [
  {
    name: 'append: the id and the data of an entry are read as they were written, in order',
    run: async (store) => {
      await insertActive(store, key);
      await answerOf(store.append(key, { entries, now: NOON }));
      const { history, historyCount } = (await answerOf(store.find(key))) ?? {
        history: [],
        historyCount: 0,
      };
      expectEqual(history, entries, 'the history');
      expectEqual(historyCount, entries.length, 'the number of entries');
      const part = await partOf(store, { limit: entries.length });
      expectEqual(part.entries, entries, 'the part');
    },
  },
  {
    name: 'append: what is done later with the data of an entry does not change it in the store',
    run: async (store) => {
      await insertActive(store, key);
      const given = { ...say('given'), data: { list: [1, { deep: 'x' }] } };
      const expected = structuredClone(given);
      await answerOf(store.append(key, { entries: [given], now: NOON }));
      mutateDeeply(given);
      const read = await answerOf(store.find(key));
      expectEqual(read?.history, [expected], 'the history, after the argument has changed');
      mutateDeeply(read);
      mutateDeeply(await partOf(store, { limit: 1 }));
      expectEqual(
        (await answerOf(store.find(key)))?.history,
        [expected],
        'the history, after the answers have changed',
      );
    },
  },
  {
    name: 'findEntries: each entry has the position after it, from which the next ones are read',
    run: async (store) => {
      await insertActive(store, key);
      await answerOf(store.append(key, { entries, now: NOON }));
      const whole = await foundIn(store, { limit: entries.length });
      expectEqual(whole.entries.at(-1)?.position, whole.position, 'the position of the last entry');
      for (const [at, { position }] of whole.entries.entries()) {
        const next = await foundIn(store, { after: position, limit: 2 });
        expectEqual(next.entries, whole.entries.slice(at + 1, at + 3), `what follows entry ${at}`);
        const before = await foundIn(store, { before: position, limit: 2 });
        expectEqual(
          before.entries,
          whole.entries.slice(Math.max(0, at - 1), at + 1),
          `what stands before ${position}`,
        );
      }
    },
  },
];
