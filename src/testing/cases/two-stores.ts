import { expectEqual } from '../expect-equal.js';
import { withoutPosition } from '../history-steps.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import {
  answerOf,
  append,
  type Contents,
  contentsOf,
  dueOf,
  expectStored,
  insert,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** Fails unless every way to read gives `expected`. */
const expectRead = async (
  store: TodaysStore,
  expected: Contents | undefined,
  what: string,
): Promise<void> => {
  await expectStored(store, key, expected, what);
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(
    page.records.map(contentsOf),
    expected === undefined ? [] : [expected],
    `the page with ${what}`,
  );
  expectEqual(page.total, expected === undefined ? 0 : 1, `the total with ${what}`);
  const part = await answerOf(store.findEntries(key, { limit: 10 }));
  const entries = part.outcome === 'found' ? part.entries.map(withoutPosition) : undefined;
  expectEqual(entries, expected?.history, `the last entries of ${what}`);
  const dueAt = expected?.state.deadline ?? Number.POSITIVE_INFINITY;
  const due = dueAt === Number.POSITIVE_INFINITY ? [] : [{ ...key, dueAt }];
  expectEqual(await dueOf(store, Number.MAX_SAFE_INTEGER, 10), due, `due with ${what}`);
};

export const twoStores: readonly StoreCase[] = [
  {
    name: 'two stores: each reads at once what the other has written',
    run: async (store, second) => {
      const both = async (expected: Contents | undefined, what: string) => {
        for (const each of [store, second, store]) await expectRead(each, expected, what);
      };
      await both(undefined, 'nothing');
      const inserted = await insert(second, key, headOf('one', NOON, { context: 'algebra' }));
      await both(inserted, 'an inserted session');
      const active = live('ACTIVE', { revision: 2, deadline: NOON + 10 });
      await replace(store, key, active);
      await both({ ...inserted, state: active }, 'a started session');
      await append(second, key, ['hello']);
      await both(
        { ...inserted, state: active, history: [say('hello')] },
        'a session with an entry',
      );
      await append(store, key, ['goodbye']);
      const history = [say('hello'), say('goodbye')];
      await both({ ...inserted, state: active, history }, 'a session with two entries');
      const over = ended('terminated', { revision: 3 });
      await replace(second, key, over);
      await both({ ...inserted, state: over, history }, 'a session that has ended');
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      await both(undefined, 'a removed session');
      const again = await insert(second, key, headOf('one', NOON + 5));
      await both(again, 'a session inserted again');
    },
  },
  {
    name: 'two stores: each decides by what the other has written',
    run: async (store, second) => {
      await insertActive(store, key);
      expectEqual(
        await answerOf(second.insert(TENANT, headOf('one'), live('IDLE'))),
        'taken',
        'insert',
      );
      const paused = live('PAUSED', { revision: 3 });
      await replace(second, key, paused);
      expectEqual(
        await answerOf(replacing(store, key, paused)),
        'stale',
        'replace of a revision that is gone',
      );
      expectEqual(
        await answerOf(store.remove(key, { revision: 2 })),
        'stale',
        'remove of a revision that is gone',
      );
      const first = await append(store, key, ['hello'], 'op');
      expectEqual(
        await append(second, key, ['hello'], 'op'),
        first,
        'the position of the same operation',
      );
      const full = await answerOf(
        second.append(key, { entries: [say('more')], now: NOON, maxEntries: 1 }),
      );
      expectEqual(full, { outcome: 'full' }, 'append to a full history');
      const over = ended('failed', { revision: 4 });
      await replace(store, key, over);
      const late = await answerOf(second.append(key, { entries: [say('late')], now: NOON }));
      expectEqual(late, { outcome: 'closed', state: over }, 'append after the end');
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      expectEqual(await answerOf(second.remove(key)), 'missing', 'remove of what is gone');
      expectEqual(
        await answerOf(replacing(second, key, live('ACTIVE', { revision: 5 }))),
        'missing',
        'replace',
      );
      const gone = await answerOf(
        second.append(key, { entries: [say('late')], now: NOON, operation: operationOf('op') }),
      );
      expectEqual(gone, { outcome: 'missing' }, 'append to what is gone');
    },
  },
];
