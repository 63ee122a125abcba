import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import { answerOf, append, contentsOf, idsOn, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

/**
 * Newest first, in the same millisecond by id from the highest code unit down; the first and last
 * year at the ends.
 */
const ordered: readonly (readonly [id: string, createdMs: number])[] = [
  ['last', 253_402_300_799_999],
  ['b', NOON + 1],
  ['~', NOON],
  ['z', NOON],
  ['aa', NOON],
  ['a', NOON],
  ['_', NOON],
  ['Z', NOON],
  ['A', NOON],
  ['9', NOON],
  ['10', NOON],
  ['.', NOON],
  ['-', NOON],
  ['zz', NOON - 1],
  ['first', 5],
  ['epoch', 0],
];

const ids = ordered.map(([id]) => id);

/** Inserts the sessions in an order that differs from the expected one. */
const insertShuffled = async (store: TodaysStore): Promise<void> => {
  for (const index of upTo(ordered.length)) {
    const [id, createdMs] = ordered[(index * 7 + 3) % ordered.length] ?? ['', 0];
    await insert(store, keyOf(id), headOf(id, createdMs), live('IDLE', { since: createdMs }));
  }
};

export const paging: readonly StoreCase[] = [
  {
    name: 'list: newest first, the same millisecond by id from the highest down',
    run: async (store) => {
      await insertShuffled(store);
      expectEqual(await idsOn(store, TENANT), ids, 'the ids');
    },
  },
  {
    name: 'list: every page is a slice of the same list, with the same total',
    run: async (store) => {
      await insertShuffled(store);
      for (const offset of upTo(ids.length + 2)) {
        for (const limit of [0, 1, 2, 5, ids.length - 1, ids.length, ids.length + 1, 100]) {
          const { records, total, unreadable } = await answerOf(
            store.list(TENANT, { offset, limit }),
          );
          const what = `offset ${offset}, limit ${limit}:`;
          const page = records.map(({ head }) => head.id);
          expectEqual(page, ids.slice(offset, offset + limit), `${what} the ids`);
          expectEqual(total, ids.length, `${what} total`);
          expectEqual(unreadable, [], `${what} unreadable`);
        }
      }
    },
  },
  {
    name: 'list: a page past the end is empty, however far',
    run: async (store) => {
      await insert(store, keyOf('one'));
      for (const offset of [1, 2, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
        const page = await answerOf(store.list(TENANT, { offset, limit: 100 }));
        expectEqual(page, { records: [], total: 1, unreadable: [] }, `the page at ${offset}`);
      }
    },
  },
  {
    name: 'list: a tenant without sessions has an empty page',
    run: async (store) => {
      for (const offset of [0, 1, Number.MAX_SAFE_INTEGER]) {
        const page = await answerOf(store.list(TENANT, { offset, limit: 10 }));
        expectEqual(page, { records: [], total: 0, unreadable: [] }, `the page at ${offset}`);
      }
    },
  },
  {
    name: 'list: a page holds whole sessions, as find gives them',
    run: async (store) => {
      const one = await insertActive(
        store,
        keyOf('one'),
        headOf('one', NOON, { context: 'algebra', timeLimit: 0.5 }),
      );
      const two = await insert(store, keyOf('two'), headOf('two', NOON + 1));
      const three = await insertActive(store, keyOf('three'), headOf('three', NOON + 2));
      await append(store, keyOf('one'), ['hello', 'goodbye']);
      await append(store, keyOf('three'), ['good morning']);
      const end = ended('terminated', { revision: 3, since: NOON + 9, activeMs: 9 });
      await replace(store, keyOf('one'), end);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(
        page.records.map(contentsOf),
        [
          { ...three, history: [say('good morning')] },
          two,
          { ...one, state: end, history: [say('hello'), say('goodbye')] },
        ],
        'records',
      );
    },
  },
  {
    name: 'list: a change of a session does not move it',
    run: async (store) => {
      await insertShuffled(store);
      for (const id of ['a', 'zz', 'last', 'epoch']) {
        await replace(
          store,
          keyOf(id),
          live('ACTIVE', { revision: 2, since: NOON + 100, deadline: NOON + 200 }),
        );
        await append(store, keyOf(id), ['hello']);
        await replace(store, keyOf(id), ended('failed', { revision: 3, since: NOON + 150 }));
      }
      expectEqual(await idsOn(store, TENANT), ids, 'the ids');
    },
  },
  {
    name: 'list: pages by offset hold each of many sessions once',
    run: async (store) => {
      const names = upTo(250).map((index) => `s${String(index).padStart(3, '0')}`);
      await Promise.all(
        names.map((id, index) =>
          insert(store, keyOf(id), headOf(id, NOON + Math.floor(index / 10))),
        ),
      );
      const pages = await Promise.all([0, 100, 200].map((offset) => idsOn(store, TENANT, offset)));
      expectEqual(pages.flat(), names.toReversed(), 'the ids');
    },
  },
];
