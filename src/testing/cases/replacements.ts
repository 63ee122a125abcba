import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  dueOf,
  expectStored,
  insert,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

export const replacements: readonly StoreCase[] = [
  {
    name: 'replace: a state of the next revision is kept, and all else stays',
    run: async (store) => {
      const head = headOf('one', NOON, { behavior: 'a tutor', timeLimit: 60 });
      await insert(store, key, head);
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 2, limitMs: 60_000, deadline: NOON + 60_000 }),
      );
      await append(store, key, ['hello']);
      const states = [
        live('PAUSED', {
          revision: 3,
          since: NOON + 10,
          startedAt: NOON,
          activeMs: 10,
          limitMs: 60_000,
          operations: ['p'],
        }),
        live('ACTIVE', {
          revision: 4,
          since: NOON + 20,
          activeMs: 10,
          limitMs: 60_000,
          deadline: NOON + 60_010,
        }),
        ended('terminated', {
          revision: 5,
          since: NOON + 30,
          activeMs: 20,
          limitMs: 60_000,
          operations: ['t', 'p'],
        }),
      ];
      for (const state of states) {
        await replace(store, key, state);
        await expectStored(store, key, { head, state, history: [say('hello')] });
      }
    },
  },
  {
    name: 'replace: a state of any other revision is stale, and writes nothing',
    run: async (store) => {
      const stored = await insertActive(store, key);
      for (const revision of [1, 2, 4, 5, 100, 2 ** 32 + 3]) {
        for (const next of [
          live('PAUSED', { revision, deadline: NOON + 1 }),
          ended('failed', { revision }),
        ]) {
          expectEqual(
            await answerOf(replacing(store, key, next)),
            'stale',
            `replace by revision ${revision}`,
          );
          await expectStored(store, key, stored);
        }
      }
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due');
    },
  },
  {
    name: 'replace: the same state a second time is stale',
    run: async (store) => {
      await insert(store, key);
      const next = live('ACTIVE', { revision: 2, operations: ['start'] });
      expectEqual(await answerOf(replacing(store, key, next)), 'replaced', 'the first replace');
      expectEqual(await answerOf(replacing(store, key, next)), 'stale', 'the second replace');
      expectEqual(await answerOf(replacing(store, key, { ...next })), 'stale', 'the third replace');
    },
  },
  {
    name: 'replace: revisions are compared as numbers, not as texts',
    run: async (store) => {
      await insert(store, key);
      for (const revision of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
        await replace(store, key, live(revision % 2 === 0 ? 'ACTIVE' : 'PAUSED', { revision }));
      }
      expectEqual(
        await answerOf(replacing(store, key, live('ACTIVE', { revision: 2 }))),
        'stale',
        'replace by revision 2',
      );
      const large = await insert(
        store,
        keyOf('large'),
        headOf('large'),
        live('IDLE', { revision: 2 ** 40 }),
      );
      await replace(store, keyOf('large'), live('ACTIVE', { revision: 2 ** 40 + 1 }));
      await expectStored(store, keyOf('large'), {
        ...large,
        state: live('ACTIVE', { revision: 2 ** 40 + 1 }),
      });
    },
  },
  {
    name: 'replace: an unknown session is missing, and is not created',
    run: async (store) => {
      for (const revision of [1, 2]) {
        expectEqual(
          await answerOf(replacing(store, key, live('ACTIVE', { revision }))),
          'missing',
          'replace',
        );
      }
      await expectStored(store, key, undefined);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
    },
  },
  {
    name: 'replace: list shows the new state',
    run: async (store) => {
      const stored = await insertActive(store, key);
      const state = ended('time_limit', { revision: 3, since: NOON + 5, activeMs: 5 });
      await replace(store, key, state);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.records.map(contentsOf), [{ ...stored, state }], 'records');
    },
  },
];
