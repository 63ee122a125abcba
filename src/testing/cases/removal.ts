import { expectEqual } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import {
  answerOf,
  append,
  dueOf,
  expectStored,
  idsOn,
  insert,
  insertActive,
  replace,
  replacing,
  said,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { SessionKey, TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** Inserts a session that is in every index: it is listed, it is due, and it has a history. */
const insertFull = async (store: TodaysStore, each: SessionKey): Promise<void> => {
  await insertActive(store, each);
  await append(store, each, ['hello'], 'op');
  await replace(store, each, live('PAUSED', { revision: 3, deadline: NOON + 1 }));
};

export const removal: readonly StoreCase[] = [
  {
    name: 'remove: a removed session is gone everywhere',
    run: async (store) => {
      await insertFull(store, key);
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      await expectStored(store, key, undefined);
      expectEqual(
        await answerOf(replacing(store, key, live('ACTIVE', { revision: 4 }))),
        'missing',
        'replace',
      );
      const call = { entries: [say('hello')], now: NOON };
      expectEqual(await answerOf(store.append(key, call)), { outcome: 'missing' }, 'append');
      const again = await answerOf(store.append(key, { ...call, operation: operationOf('op') }));
      expectEqual(again, { outcome: 'missing' }, 'append of an operation made before');
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due');
      await expectStored(store, key, undefined);
    },
  },
  {
    name: 'remove: a session that was never there, or was removed before, is missing',
    run: async (store) => {
      expectEqual(await answerOf(store.remove(key)), 'missing', 'remove');
      await insert(store, key);
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      expectEqual(await answerOf(store.remove(key)), 'missing', 'remove');
    },
  },
  {
    name: 'remove: with the revision 0, no session that has a state is removed',
    run: async (store) => {
      expectEqual(await answerOf(store.remove(key, { revision: 0 })), 'missing', 'no session');
      const inserted = await insert(store, key);
      expectEqual(await answerOf(store.remove(key, { revision: 0 })), 'stale', 'a session');
      await expectStored(store, key, inserted);
    },
  },
  {
    name: 'remove: with a revision, only a state of that revision is removed',
    run: async (store) => {
      await insertFull(store, key);
      for (const revision of [1, 2, 4]) {
        expectEqual(
          await answerOf(store.remove(key, { revision })),
          'stale',
          `remove of revision ${revision}`,
        );
      }
      expectEqual(await said(store, key), ['hello'], 'the history');
      expectEqual(await dueOf(store, NOON + 1, 10), [{ ...key, dueAt: NOON + 1 }], 'due');
      expectEqual(
        await answerOf(store.remove(key, { revision: 3 })),
        'removed',
        'remove of its revision',
      );
      expectEqual(
        await answerOf(store.remove(key, { revision: 3 })),
        'missing',
        'remove of what is gone',
      );
      await expectStored(store, key, undefined);
    },
  },
  {
    name: 'remove: the other sessions stay, in their order',
    run: async (store) => {
      const ids = upTo(20).map((index) => `s${index}`);
      for (const [index, id] of ids.entries())
        await insert(store, keyOf(id), headOf(id, NOON - index));
      const gone = new Set(['s0', 's7', 's8', 's19']);
      for (const id of gone)
        expectEqual(await answerOf(store.remove(keyOf(id))), 'removed', `remove ${id}`);
      const left = ids.filter((id) => !gone.has(id));
      expectEqual(await idsOn(store, TENANT), left, 'the ids');
      expectEqual(await idsOn(store, TENANT, 5, 3), left.slice(5, 8), 'the ids of a page');
      expectEqual(
        (await answerOf(store.list(TENANT, { offset: 0, limit: 1 }))).total,
        left.length,
        'total',
      );
      for (const id of ids) {
        const found = await answerOf(store.find(keyOf(id)));
        expectEqual(found?.head.id, gone.has(id) ? undefined : id, `find ${id}`);
      }
    },
  },
  {
    name: 'remove: the id is free again, and a new session under it starts clean',
    run: async (store) => {
      await insertFull(store, key);
      await answerOf(store.remove(key));
      const inserted = await insert(
        store,
        key,
        headOf('one', NOON + 5, { face: 'bob' }),
        live('IDLE'),
      );
      await expectStored(store, key, inserted);
      expectEqual(await idsOn(store, TENANT), ['one'], 'the ids');
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due');
      await replace(store, key, live('ACTIVE', { revision: 2 }));
      await append(store, key, ['a new conversation'], 'op');
      expectEqual(await said(store, key), ['a new conversation'], 'the history');
    },
  },
  {
    name: 'remove: a new session under a removed id has its own position in the list',
    run: async (store) => {
      await insert(store, key, headOf('one', NOON + 9));
      await insert(store, keyOf('two'), headOf('two', NOON + 5));
      await answerOf(store.remove(key));
      await insert(store, key, headOf('one', NOON));
      expectEqual(await idsOn(store, TENANT), ['two', 'one'], 'the ids');
    },
  },
];
