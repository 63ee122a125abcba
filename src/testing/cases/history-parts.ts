import type { HistoryEntry } from '../../session/session.js';
import { expectEqual } from '../expect-equal.js';
import {
  contentsOf,
  foundIn,
  insertTalk,
  key,
  MAXIMUM_PARTS,
  partOf,
  readBack,
  readOn,
} from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, NOON, say, upTo } from '../samples.js';
import { answerOf, append, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { HistorySlice, SessionKey } from '../todays-store.js';

export const historyParts: readonly StoreCase[] = [
  {
    name: 'findEntries: last gives the latest entries, oldest first, or all if there are fewer',
    run: async (store) => {
      const { said, marks } = await insertTalk(store);
      for (const last of [1, 2, 5, said.length - 1, said.length, said.length + 1, 1000]) {
        const part = await partOf(store, { limit: last });
        expectEqual(contentsOf(part), said.slice(-last), `the last ${last}`);
        expectEqual(part.hasMore, false, 'hasMore');
        const next = await partOf(store, { after: part.position, limit: 10 });
        expectEqual([next.entries, next.hasMore], [[], false], 'what follows them');
      }
      expectEqual(marks.at(-1)?.count, said.length, 'the number of entries');
    },
  },
  {
    name: 'findEntries: after gives what was appended after a position, and everything after 0',
    run: async (store) => {
      const { said, marks } = await insertTalk(store);
      for (const { position, count } of [{ position: 0, count: 0 }, ...marks]) {
        const part = await partOf(store, { after: position, limit: 1000 });
        expectEqual(contentsOf(part), said.slice(count), `after ${position}`);
        expectEqual(part.hasMore, false, 'hasMore');
      }
      expectEqual(
        await append(store, key, ['again'], 'op-3'),
        marks[3]?.position,
        'the position of a repeated append',
      );
    },
  },
  {
    name: 'findEntries: part by part, each entry comes once and in order, whatever the limit',
    run: async (store) => {
      const { said, marks } = await insertTalk(store);
      for (const limit of [1, 2, 3, 7, said.length - 1, said.length, said.length + 1]) {
        for (const { position, count } of [{ position: 0, count: 0 }, ...marks]) {
          const entries = await readOn(store, position, limit);
          expectEqual(
            entries.map(({ content }) => content),
            said.slice(count),
            `after ${position}, ${limit} at a time`,
          );
        }
      }
    },
  },
  {
    name: 'findEntries: back part by part, each entry comes once and in order, whatever the limit',
    run: async (store) => {
      const { said, marks } = await insertTalk(store);
      for (const limit of [1, 2, 3, 7, said.length - 1, said.length, said.length + 1]) {
        for (const { position, count } of [{ position: 0, count: 0 }, ...marks]) {
          const entries = await readBack(store, position, limit);
          expectEqual(
            entries.map(({ content }) => content),
            said.slice(0, count),
            `before ${position}, ${limit} at a time`,
          );
        }
      }
    },
  },
  {
    name: 'findEntries: start is the position before a part, whichever way it was read',
    run: async (store) => {
      const { said } = await insertTalk(store);
      for (const last of [1, 2, 5, said.length - 1]) {
        const part = await partOf(store, { limit: last });
        const above = await partOf(store, { before: part.start, limit: 1000 });
        expectEqual(contentsOf(above), said.slice(0, -last), `what stands before the last ${last}`);
        expectEqual(
          [above.start, above.hasMore],
          [0, true],
          'its start, and whether there are entries after it',
        );
        const again = await partOf(store, { after: part.start, limit: 1000 });
        expectEqual(again, part, `what follows the start of the last ${last}`);
      }
      const middle = await partOf(store, {
        after: (await partOf(store, { after: 0, limit: 4 })).position,
        limit: 3,
      });
      expectEqual(
        contentsOf(await partOf(store, { before: middle.start, limit: 2 })),
        said.slice(2, 4),
        'before it',
      );
      expectEqual(
        (await partOf(store, { limit: 1000 })).start,
        0,
        'the start of the whole history',
      );
    },
  },
  {
    name: 'findEntries: hasMore says whether there are entries after the part',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['a', 'b', 'c']);
      const more = async (limit: number) => (await partOf(store, { after: 0, limit })).hasMore;
      expectEqual(
        [await more(1), await more(2), await more(3), await more(4)],
        [true, true, false, false],
        'hasMore',
      );
    },
  },
  {
    name: 'findEntries: a part at the end has a position after which later entries come',
    run: async (store) => {
      await insertActive(store, key);
      const none = [await partOf(store, { limit: 5 }), await partOf(store, { after: 0, limit: 5 })];
      none.push(await partOf(store, { before: 0, limit: 5 }));
      for (const part of none) {
        expectEqual(
          [part.entries, part.start, part.hasMore],
          [[], part.position, false],
          'a part of nothing',
        );
      }
      await append(store, key, ['hello']);
      for (const { position } of none) {
        expectEqual(
          contentsOf(await partOf(store, { after: position, limit: 5 })),
          ['hello'],
          'what came first',
        );
      }
      const ends = [await partOf(store, { limit: 5 }), await partOf(store, { after: 0, limit: 1 })];
      await append(store, key, ['goodbye', 'and thanks']);
      for (const { position } of ends) {
        const part = await partOf(store, { after: position, limit: 5 });
        expectEqual(contentsOf(part), ['goodbye', 'and thanks'], 'what came next');
      }
    },
  },
  {
    name: 'findEntries: a position beyond the end is invalid',
    run: async (store) => {
      await insertActive(store, key);
      for (const after of [await append(store, key, ['hello']), 1e9, Number.MAX_SAFE_INTEGER - 1]) {
        const found = await answerOf(store.findEntries(key, { after: after + 1, limit: 10 }));
        expectEqual(found, { outcome: 'invalid_position' }, `after ${after + 1}`);
        const back = await answerOf(store.findEntries(key, { before: after + 1, limit: 10 }));
        expectEqual(back, { outcome: 'invalid_position' }, `before ${after + 1}`);
      }
    },
  },
  {
    name: 'findEntries: an unknown session, another tenant\u2019s, or a removed one is missing',
    run: async (store) => {
      const slices: readonly HistorySlice[] = [
        { limit: 1 },
        { after: 0, limit: 1 },
        { before: 5, limit: 1 },
      ];
      const expectMissing = async (of: SessionKey) => {
        for (const slice of slices)
          expectEqual(await answerOf(store.findEntries(of, slice)), { outcome: 'missing' }, 'it');
      };
      await expectMissing(key);
      await insertActive(store, key);
      await append(store, key, ['hello']);
      await expectMissing(keyOf('one', 'globex'));
      await expectMissing(keyOf('on'));
      await answerOf(store.remove(key));
      await expectMissing(key);
      await insert(store, key);
      expectEqual(
        (await partOf(store, { limit: 1 })).entries,
        [],
        'the entries of another of its id',
      );
    },
  },
  {
    name: 'findEntries: the history of a session that has ended can be read',
    run: async (store) => {
      await insertActive(store, key);
      const position = await append(store, key, ['hello', 'there'], 'op');
      await replace(store, key, ended('terminated', { revision: 3 }));
      expectEqual(contentsOf(await partOf(store, { limit: 1 })), ['there'], 'the last');
      expectEqual(contentsOf(await partOf(store, { after: 0, limit: 1 })), ['hello'], 'the first');
      expectEqual(
        (await partOf(store, { after: position, limit: 1 })).entries,
        [],
        'what follows them',
      );
    },
  },
  {
    name: 'findEntries: any text is read as it was written, alone and among others',
    run: async (store) => {
      await insertActive(
        store,
        key,
        headOf('one', NOON, { context: '\n{"\u20AC"},\n"op",\n'.repeat(50) }),
      );
      const entries = hostileTexts.map((text, at) => ({
        ...say(text),
        role: hostileTexts[at + 1] || 'user',
      }));
      for (const at of upTo(Math.ceil(entries.length / 2))) {
        const two = entries.slice(2 * at, 2 * at + 2);
        await answerOf(store.append(key, { entries: two, now: NOON }));
      }
      expectEqual((await partOf(store, { limit: 1000 })).entries, entries, 'all');
      expectEqual(await readOn(store, 0, 1), entries, 'one by one');
      expectEqual(
        await readBack(store, (await partOf(store, { limit: 1 })).position, 1),
        entries,
        'back, one by one',
      );
      for (const last of upTo(entries.length)) {
        if (last > 0)
          expectEqual(
            (await partOf(store, { limit: last })).entries,
            entries.slice(-last),
            `the last ${last}`,
          );
      }
    },
  },
  {
    name: 'findEntries: long and short entries are read as they were written, after long options',
    run: async (store) => {
      await insertActive(store, key, headOf('one', NOON, { behavior: '\u20AC'.repeat(20_000) }));
      const entries = upTo(40).map((at) =>
        say(`${at} ${'\u20AC\u00E9x'.repeat(at % 3 === 0 ? (at * 331) % 7000 : at)}`),
      );
      for (const entry of entries)
        await answerOf(store.append(key, { entries: [entry], now: NOON }));
      expectEqual(await readOn(store, 0, 3), entries, 'three at a time');
      expectEqual(await readOn(store, 0, 40), entries, 'at once');
      const { position } = await partOf(store, { limit: 1 });
      expectEqual(await readBack(store, position, 3), entries, 'back, three at a time');
      expectEqual(await readBack(store, position, 40), entries, 'back, at once');
      for (const last of [1, 2, 10, 25, 39, 40]) {
        expectEqual(
          (await partOf(store, { limit: last })).entries,
          entries.slice(-last),
          `the last ${last}`,
        );
      }
    },
  },
  {
    name: 'findEntries: changing a part that was read changes nothing in the store',
    run: async (store) => {
      await insertActive(store, key);
      const end = await append(store, key, ['hello', 'goodbye']);
      const expected = [say('hello'), say('goodbye')];
      for (const slice of [{ limit: 2 }, { after: 0, limit: 2 }, { before: end, limit: 2 }]) {
        const { entries } = await foundIn(store, slice);
        for (const entry of entries) Reflect.set(entry, 'content', 'vandalized');
        Reflect.set(entries, 0, 'vandalized');
        Reflect.set(entries, entries.length, 'vandalized');
        expectEqual((await partOf(store, slice)).entries, expected, 'the part that is read next');
      }
    },
  },
  {
    name: 'races: a reader gets each entry once, part by part, while 50 append',
    run: async (store, second) => {
      await insertActive(store, key);
      let isWritten = false;
      const read: HistoryEntry[] = [];
      const readOnMeanwhile = async () => {
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
        await race(store, second, (each, writer) =>
          append(each, key, [`${writer} a`, `${writer} b`]),
        );
        isWritten = true;
      };
      const [position] = await Promise.all([readOnMeanwhile(), write()]);
      read.push(...(await readOn(second, position, 3)));
      const { entries } = await partOf(store, { limit: 1000 });
      expectEqual(read, entries, 'what was read');
      expectEqual(read.length, 2 * WRITERS, 'the number of entries');
    },
  },
];
