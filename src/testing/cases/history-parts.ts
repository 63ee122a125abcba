import type { HistoryEntry, JsonValue } from '../../session/session.js';
import type { SessionKey } from '../../session/session-key.js';
import { answerOf } from '../answers.js';
import { add, append, begin, placed, put, raceOf, remove } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import {
  addTalk,
  foundIn,
  MAXIMUM_PARTS,
  partOf,
  readBack,
  readOn,
  textsOf,
} from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { ended, headOf, keyOf, NOON, say, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

const data: readonly JsonValue[] = [
  'text',
  '',
  -1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  [null, [[]], { a: [1, 'two', { three: null }] }],
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"no"}'),
  Object.fromEntries(hostileTexts.map((text, at) => [`${at}${text}`, text])),
];

/** Entries with any text, id and data, short and long. */
const entries: readonly HistoryEntry[] = [
  ...data.map((each, at) => ({ ...say(`data ${at}`, 'tool', NOON + at), data: each })),
  ...hostileTexts.map((text, at) => ({ ...say(text), role: hostileTexts[at + 1] || 'user' })),
  ...hostileTexts.map((id) => ({ ...say('both'), id: `${id}.`, data: { id } })),
  ...upTo(20).map((at) => say(`${at} ${'\u20AC\u00E9x'.repeat((at * 331) % 7000)}`)),
];

export const historyParts: readonly PortCase[] = [
  {
    name: 'history: a part without a position is the latest entries, oldest first, or all if there are fewer',
    run: async (store) => {
      const said = await addTalk(store);
      await put(store, key, ended('terminated', { revision: 2 }));
      for (const limit of [1, 2, 5, said.length - 1, said.length, said.length + 1, 1000]) {
        const part = await partOf(store, { limit });
        expectEqual(textsOf(part.entries), said.slice(-limit), `the latest ${limit}`);
        expectEqual(part.hasMore, false, 'hasMore');
        const next = await partOf(store, { after: part.position, limit: 10 });
        expectEqual([next.entries, next.hasMore], [[], false], 'the part after them');
        const again = await partOf(store, { after: part.start, limit: 1000 });
        expectEqual(again, part, `the part after the start of the latest ${limit}`);
        const before = await partOf(store, { before: part.start, limit: 1000 });
        expectEqual(textsOf(before.entries), said.slice(0, -limit), `before the latest ${limit}`);
        const bounds = [before.start, before.hasMore];
        expectEqual(bounds, [0, true], 'its start, and whether more follow');
      }
    },
  },
  {
    name: 'history: part by part from the position after any entry, each entry comes once and in order, whatever the limit',
    run: async (store) => {
      const said = await addTalk(store);
      const places = [0, ...(await placed(store, key)).map(({ position }) => position)];
      for (const limit of [1, 2, 7, said.length, said.length + 1]) {
        for (const [count, position] of places.entries()) {
          const what = `${position}, ${limit} at a time`;
          const on = await readOn(store, position, { limit });
          expectEqual(textsOf(on), said.slice(count), `after ${what}`);
          const back = await readBack(store, position, limit);
          expectEqual(textsOf(back), said.slice(0, count), `before ${what}`);
        }
      }
    },
  },
  {
    name: 'history: hasMore reports whether entries follow the part',
    run: async (store) => {
      await begin(store, key);
      await append(store, key, ['a', 'b', 'c']);
      const more = async (limit: number) => (await partOf(store, { after: 0, limit })).hasMore;
      const found = [await more(1), await more(2), await more(3), await more(4)];
      expectEqual(found, [true, true, false, false], 'hasMore');
    },
  },
  {
    name: 'history: a position beyond the end is invalid',
    run: async (store) => {
      await begin(store, key);
      for (const end of [await append(store, key, ['hello']), 1e9, Number.MAX_SAFE_INTEGER - 1]) {
        for (const slice of [{ after: end + 1 }, { before: end + 1 }]) {
          const found = await answerOf(store.entries(key, { ...slice, limit: 10 }));
          expectEqual(found, { outcome: 'invalid_position' }, JSON.stringify(slice));
        }
      }
    },
  },
  {
    name: 'history: that of an unknown session, another tenant\u2019s, or a removed one is missing',
    run: async (store) => {
      const expectMissing = async (of: SessionKey) => {
        for (const slice of [{}, { after: 0 }, { before: 5 }]) {
          const found = await answerOf(store.entries(of, { ...slice, limit: 1 }));
          expectEqual(found, { outcome: 'missing' }, JSON.stringify([of, slice]));
        }
      };
      await expectMissing(key);
      await begin(store, key, { entries: [say('hello')] });
      await expectMissing(keyOf('one', 'globex'));
      await expectMissing(keyOf('on'));
      await remove(store, key);
      await expectMissing(key);
      await begin(store, key);
      const empty = await partOf(store, { limit: 1 });
      expectEqual([empty.entries, empty.start], [[], empty.position], 'those of a new session');
    },
  },
  {
    name: 'history: any text, id and data is read as it was written, one by one and many together',
    run: async (store) => {
      const options = { behavior: '\u20AC'.repeat(20_000), context: '\n{"\u20AC"},\n"op",\n' };
      await begin(store, key, { head: headOf('one', NOON, options), entries: entries.slice(0, 4) });
      for (let from = 4, count = 1; from < entries.length; from += count, count = (count % 3) + 1)
        await add(store, key, entries.slice(from, from + count));
      const record = await answerOf(store.find(key));
      expectEqual([record?.history, record?.historyCount], [entries, entries.length], 'find');
      const end = record?.historyPosition ?? 0;
      for (const limit of [1, 3, 40, entries.length]) {
        const what = `${limit} at a time`;
        expectEqual(await readOn(store, 0, { limit }), entries, what);
        expectEqual(await readBack(store, end, limit), entries, `back, ${what}`);
        const latest = await partOf(store, { limit });
        expectEqual(latest.entries, entries.slice(-limit), `the latest ${limit}`);
      }
    },
  },
  {
    name: 'history: changing entries that were written or read changes nothing in the store',
    run: async (store) => {
      const given = { ...say('given'), data: { list: [1, { deep: 'x' }] } };
      const expected = [structuredClone(given), say('goodbye')];
      await begin(store, key);
      const end = await add(store, key, [given, say('goodbye')]);
      mutateDeeply(given);
      for (const slice of [{ limit: 2 }, { after: 0, limit: 2 }, { before: end, limit: 2 }]) {
        mutateDeeply(await foundIn(store, slice));
        mutateDeeply(await answerOf(store.find(key, { historyLimit: 2 })));
        expectEqual((await partOf(store, slice)).entries, expected, JSON.stringify(slice));
        const read = await answerOf(store.find(key, { historyLimit: 2 }));
        expectEqual(read?.history, expected, 'the record');
      }
    },
  },
  {
    name: 'races: a reader gets each entry once, part by part, while 50 append',
    run: async (store, second) => {
      await begin(store, key);
      let isWritten = false;
      const read: HistoryEntry[] = [];
      const readDuring = async () => {
        let position = 0;
        for (const _ of upTo(MAXIMUM_PARTS)) {
          if (isWritten) break;
          const part = await partOf(second, { after: position, limit: 3 });
          read.push(...part.entries);
          position = part.position;
        }
        return position;
      };
      const write = async () => {
        await raceOf([store, second], (each, writer) =>
          append(each, key, [`${writer} a`, `${writer} b`]),
        );
        isWritten = true;
      };
      const [position] = await Promise.all([readDuring(), write()]);
      read.push(...(await readOn(second, position, { limit: 3 })));
      const { entries: all } = await partOf(store, { limit: 1000 });
      expectEqual(read, all, 'the entries of the reader');
      expectEqual(read.length, 100, 'the number of entries');
    },
  },
];
