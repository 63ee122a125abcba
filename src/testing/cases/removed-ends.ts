import { active, end, expectDue, FAR, firstOf, isGone, key, reportOf, settle, start } from '../end-steps.js';
import { expectEqual } from '../expect-equal.js';
import { keyOf, NOON, upTo } from '../samples.js';
import { answerOf, append, dueOf, endsOf, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';

export const removedEnds: readonly StoreCase[] = [
  {
    name: 'ends: a removal of a session that has not ended is one, and no reader sees the session',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1' });
      await append(store, key, ['hello'], 'op');
      expectEqual(await answerOf(store.remove(key, { now: NOON + 20 })), 'removed', 'remove');
      expectEqual(await endsOf(second, NOON + 19, 10), [], 'the ends a millisecond before');
      await expectDue(second, FAR, [
        [key, NOON + 20, { state: { ...active, labels: { user: 'u:1' } }, removedAt: NOON + 20 }],
      ]);
      await isGone(second);
      await settle(second);
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after it is settled');
      await isGone(store);
    },
  },
  {
    name: 'ends: one that waits stays when its session is removed, with its due time',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1' });
      const state = { ...end, labels: { user: 'u:1' } };
      await replace(store, key, state);
      await answerOf(store.ends.postpone(await firstOf(store), NOON + 100));
      expectEqual(await answerOf(store.remove(key, { now: NOON + 50 })), 'removed', 'remove');
      await isGone(second);
      const report = { state, removedAt: NOON + 50 };
      await expectDue(second, FAR, [[key, NOON + 100, report]]);
      expectEqual(await endsOf(second, NOON + 99, 10), [], 'the ends before');
      await settle(store);
      expectEqual(await endsOf(second, FAR, 10), [], 'the ends after it is settled');
    },
  },
  {
    name: 'ends: a session under a removed id has one of its own',
    run: async (store) => {
      await start(store, key, { life: 'first' });
      await answerOf(store.remove(key, { now: NOON + 20 }));
      const first = await firstOf(store);
      await start(store, key, { life: 'second' });
      await expectDue(store, FAR, [
        [key, NOON + 20, { state: { ...active, labels: { life: 'first' } }, removedAt: NOON + 20 }],
      ]);
      const second = { state: { ...end, since: NOON + 30, labels: { life: 'second' } } };
      await replace(store, key, second.state);
      const removed = { state: { ...active, labels: { life: 'first' } }, removedAt: NOON + 20 };
      const both = await expectDue(store, FAR, [
        [key, NOON + 20, removed],
        [key, NOON + 30, second],
      ]);
      expectEqual(new Set(both.map(({ endId }) => endId)).size, 2, 'the number of their names');
      expectEqual(await answerOf(store.ends.settle(first)), 'settled', 'settle the first');
      await expectDue(store, FAR, [[key, NOON + 30, second]], 'the ends after that');
      await settle(store);
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
    },
  },
  {
    name: 'ends: an end and a removal at the same time make one',
    run: async (store, second) => {
      const keys = upTo(10).map((index) => keyOf(`s${index}`));
      for (const each of keys) await start(store, each);
      await Promise.all(
        keys.flatMap((each) => [
          answerOf(replacing(store, each, end)),
          answerOf(second.remove(each, { now: NOON + 20 })),
        ]),
      );
      const found = await endsOf(store, FAR, 100);
      expectEqual(found.map(({ id }) => id).toSorted(), keys.map(({ id }) => id).toSorted(), 'the ends');
      for (const each of found) expectEqual(reportOf(each)?.removedAt, NOON + 20, `when ${each.id} was removed`);
    },
  },
];
