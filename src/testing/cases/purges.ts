import { expectEqual } from '../expect.js';
import { headOf, keyOf, live, NOON, say } from '../samples.js';
import { answerOf, append, dueOf, expectStored, idsOn, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const DAY = 24 * 60 * 60 * 1000;

/** A store need not have `purge`; without it, these cases check what deletions leave. */
export const purges: readonly StoreCase[] = [
  {
    name: 'purge: only what deletions have left is taken away, however often and whatever the time',
    run: async (store) => {
      const kept = await insertActive(store, keyOf('kept'));
      await append(store, keyOf('kept'), ['hello'], 'op');
      const state = live('PAUSED', { revision: 3, deadline: NOON + 5 });
      await replace(store, keyOf('kept'), state);
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await insertActive(store, keyOf(id), headOf(id, NOON + 1));
        await append(store, keyOf(id), ['goodbye']);
        expectEqual(await answerOf(store.remove(keyOf(id), { now: NOON + 2 })), 'removed', 'remove');
      }
      const again = await insert(store, keyOf('e'), headOf('e', NOON + 3));
      for (const now of [0, NOON, NOON + DAY, NOON + 1000 * DAY]) {
        for (const limit of [1, 2, 100]) {
          if (store.purge !== undefined) await answerOf(store.purge(now, limit));
          await expectStored(store, keyOf('kept'), { ...kept, state, history: [say('hello')] });
          await expectStored(store, keyOf('e'), again, 'a session inserted again');
          for (const id of ['a', 'b', 'c', 'd']) await expectStored(store, keyOf(id), undefined, id);
          expectEqual(await idsOn(store, 'acme'), ['e', 'kept'], 'the ids');
          expectEqual(await dueOf(store, NOON + 5, 10), [{ ...keyOf('kept'), dueAt: NOON + 5 }], 'due');
        }
      }
    },
  },
  {
    name: 'purge: an id whose traces were taken away can be used again',
    run: async (store) => {
      const key = keyOf('one');
      for (const createdMs of [NOON, NOON + DAY, NOON + 2 * DAY]) {
        const inserted = await insertActive(store, key, headOf('one', createdMs));
        await append(store, key, ['hello'], 'op');
        await expectStored(store, key, { ...inserted, history: [say('hello')] });
        expectEqual(await answerOf(store.remove(key, { now: createdMs + 1 })), 'removed', 'remove');
        if (store.purge !== undefined) await answerOf(store.purge(createdMs + DAY, 100));
        await expectStored(store, key, undefined);
        expectEqual(await answerOf(store.remove(key)), 'missing', 'remove of what is gone');
      }
    },
  },
];
