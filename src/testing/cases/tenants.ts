import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, say } from '../samples.js';
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
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const theirs = keyOf('one', 'globex');
const ours = keyOf('one', 'acme');

export const tenants: readonly StoreCase[] = [
  {
    name: 'tenants: the same id is another session for each tenant',
    run: async (store) => {
      const one = await insertActive(store, ours, headOf('one', NOON, { face: 'ada' }));
      const other = await insert(store, theirs, headOf('one', NOON, { face: 'bob' }));
      await append(store, ours, ['hello']);
      await expectStored(store, ours, { ...one, history: [say('hello')] });
      await expectStored(store, theirs, other);
    },
  },
  {
    name: 'tenants: no call reaches another tenant\u2019s session, or reveals that it exists',
    run: async (store) => {
      const stored = await insertActive(store, theirs);
      await expectStored(store, ours, undefined);
      expectEqual(
        await answerOf(replacing(store, ours, ended('failed', { revision: 3 }))),
        'missing',
        'replace',
      );
      const answer = await answerOf(store.append(ours, { entries: [say('hello')], now: NOON }));
      expectEqual(answer, { outcome: 'missing' }, 'append');
      expectEqual(await answerOf(store.remove(ours)), 'missing', 'remove');
      const page = await answerOf(store.list(ours.tenant, { offset: 0, limit: 10 }));
      expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
      await expectStored(store, theirs, stored);
    },
  },
  {
    name: 'tenants: each lists and counts its own sessions',
    run: async (store) => {
      for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        await insert(
          store,
          keyOf(id, index % 2 === 0 ? 'acme' : 'globex'),
          headOf(id, NOON + index),
        );
      }
      expectEqual(await idsOn(store, 'acme'), ['e', 'c', 'a'], 'the ids of one');
      expectEqual(await idsOn(store, 'globex'), ['d', 'b'], 'the ids of the other');
      expectEqual(
        (await answerOf(store.list('acme', { offset: 2, limit: 1 }))).total,
        3,
        'total of one',
      );
      expectEqual(
        (await answerOf(store.list('globex', { offset: 2, limit: 1 }))).total,
        2,
        'total of the other',
      );
    },
  },
  {
    name: 'tenants: changing and removing one tenant\u2019s session leaves the other\u2019s',
    run: async (store) => {
      await insertActive(store, ours);
      const stored = await insertActive(store, theirs);
      await append(store, theirs, ['hello'], 'op');
      await replace(store, theirs, live('PAUSED', { revision: 3, deadline: NOON + 5 }));
      await replace(store, ours, ended('failed', { revision: 3 }));
      await answerOf(store.remove(ours));
      const state = live('PAUSED', { revision: 3, deadline: NOON + 5 });
      await expectStored(store, theirs, { ...stored, state, history: [say('hello')] });
      expectEqual(await idsOn(store, 'globex'), ['one'], 'the ids');
      expectEqual(await dueOf(store, NOON + 5, 10), [{ ...theirs, dueAt: NOON + 5 }], 'due');
    },
  },
];
