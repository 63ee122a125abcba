import type { StateRecord } from '../../session/session-record.js';
import { end, expectDue, FAR, firstOf, key, settle, start } from '../end-steps.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { race } from '../race.js';
import { ended, headOf, keyOf, live, NOON, reported, TENANT, upTo } from '../samples.js';
import { answerOf, dueOf, endsOf, insert, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';

export const ends: readonly StoreCase[] = [
  {
    name: 'ends: one that must be reported is due from its millisecond on, and its session is not due meanwhile',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1', channel: 'w\u00E9b' });
      expectEqual(await endsOf(second, FAR, 10), [], 'the ends before it');
      const state = { ...end, labels: { user: 'u:1', channel: 'w\u00E9b' } };
      await replace(store, key, state);
      expectEqual(await endsOf(second, NOON + 9, 10), [], 'the ends a millisecond before');
      for (const now of [NOON + 10, FAR]) await expectDue(second, now, [[key, NOON + 10, { state }]]);
      expectEqual(await dueOf(second, FAR, 10), [], 'due');
      expectEqual(await answerOf(second.findState(key)), state, 'the state');
    },
  },
  {
    name: 'ends: one that need not be reported is not among them, and its session is due at its deadline',
    run: async (store) => {
      await insert(store, key);
      await replace(store, key, ended('failed', { revision: 2, deadline: NOON + 60 }));
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends');
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
      expectEqual(await answerOf(store.remove(key, { now: NOON + 70 })), 'removed', 'remove');
      await insert(store, keyOf('two'));
      expectEqual(await answerOf(store.remove(keyOf('two'), { now: NOON + 70 })), 'removed', 'remove before an end');
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after the removals');
    },
  },
  {
    name: 'ends: once settled, one is gone, and its session is due when its retention is over',
    run: async (store, second) => {
      await start(store);
      await replace(store, key, end);
      const first = await firstOf(store);
      expectEqual(await answerOf(second.ends.settle(first)), 'settled', 'settle');
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends');
      expectEqual(await dueOf(store, NOON + 59, 10), [], 'due before the retention is over');
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
      expectEqual(await answerOf(store.findState(key)), end, 'the state');
      expectEqual(await answerOf(store.ends.settle(first)), 'stale', 'settle it again');
      expectEqual(await answerOf(store.ends.postpone(first, FAR)), 'stale', 'postpone it');
      expectEqual(await answerOf(store.remove(key, { revision: 3 })), 'removed', 'remove');
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after the removal');
    },
  },
  {
    name: 'ends: of two callers who postpone one from the same time, one succeeds',
    run: async (store, second) => {
      await start(store);
      await replace(store, key, end);
      const first = await firstOf(store);
      expectEqual(await answerOf(store.ends.postpone(first, NOON + 100)), 'moved', 'the first');
      for (const each of [store, second]) {
        expectEqual(await answerOf(each.ends.postpone(first, NOON + 200)), 'stale', 'one that comes later');
      }
      expectEqual(await endsOf(second, NOON + 99, 10), [], 'the ends before');
      const [again] = await expectDue(second, NOON + 100, [[key, NOON + 100, { state: end }]]);
      if (again === undefined) return;
      const outcomes = await race(store, second, (each) =>
        Promise.resolve(answerOf(each.ends.postpone(again, NOON + 300))),
      );
      expectEqual(outcomes.filter((outcome) => outcome === 'moved').length, 1, 'how many have done it');
      await expectDue(store, FAR, [[key, NOON + 300, { state: end }]]);
    },
  },
  {
    name: 'ends: one that another caller has claimed since is not settled',
    run: async (store, second) => {
      await start(store);
      await replace(store, key, end);
      const first = await firstOf(store);
      const claimed = { ...first, dueAt: NOON + 100 };
      expectEqual(await answerOf(second.ends.postpone(first, claimed.dueAt)), 'moved', 'postpone');
      expectEqual(await answerOf(store.ends.settle(first)), 'stale', 'settle it too late');
      await expectDue(store, FAR, [[key, NOON + 100, { state: end }]]);
      expectEqual(await dueOf(store, FAR, 10), [], 'due');
      expectEqual(await answerOf(second.ends.settle(claimed)), 'settled', 'settle what was claimed');
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after that');
    },
  },
  {
    name: 'ends: a change without a new status neither repeats nor moves one',
    run: async (store) => {
      await start(store);
      await replace(store, key, end);
      await answerOf(store.ends.postpone(await firstOf(store), NOON + 100));
      const released: StateRecord = {
        ...end,
        revision: 4,
        lease: { holder: 'worker', fencingToken: 1, takenAt: NOON, until: 0, releasedAt: NOON + 20 },
      };
      await replace(store, key, released);
      await expectDue(store, FAR, [[key, NOON + 100, { state: released }]]);
      expectEqual(await dueOf(store, FAR, 10), [], 'due');
      await settle(store);
      await replace(store, key, { ...released, revision: 5 });
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after it is settled');
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
      await answerOf(store.remove(key));
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after the removal');
    },
  },
  {
    name: 'ends: a call that writes nothing makes none',
    run: async (store) => {
      await start(store);
      expectEqual(await answerOf(replacing(store, key, { ...end, revision: 4 })), 'stale', 'replace');
      expectEqual(await answerOf(store.remove(key, { revision: 1, now: NOON })), 'stale', 'remove');
      const taken = await answerOf(store.insert(TENANT, headOf('one'), live('IDLE', { terms: reported })));
      expectEqual(taken, 'taken', 'insert');
      expectEqual(await answerOf(store.remove(keyOf('two'), { now: NOON })), 'missing', 'remove what is not there');
      const nobody = { ...keyOf('two'), endId: 'none', dueAt: NOON };
      expectEqual(await answerOf(store.ends.postpone(nobody, FAR)), 'stale', 'postpone');
      expectEqual(await answerOf(store.ends.settle(nobody)), 'stale', 'settle');
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends');
      await replace(store, key, end);
      const again = await answerOf(store.insert(TENANT, headOf('one'), live('IDLE', { terms: reported })));
      expectEqual(again, 'taken', 'insert after the end');
      await settle(store);
      await answerOf(store.insert(TENANT, headOf('one'), live('IDLE', { terms: reported })));
      expectEqual(await endsOf(store, FAR, 10), [], 'the ends after all');
    },
  },
  {
    name: 'ends: the longest overdue first, of all tenants, and a tenant with many delays none with few',
    run: async (store) => {
      const many = upTo(20).map((index) => keyOf(`s${index}`, 'many'));
      const few = upTo(2).map((index) => keyOf(`s${index}`, 'few'));
      for (const [index, each] of [...many, ...few].entries()) {
        await start(store, each);
        await replace(store, each, { ...end, since: NOON + index });
      }
      const all = await endsOf(store, FAR, 1000);
      expectEqual(
        all.map(({ dueAt }) => dueAt),
        upTo(22).map((index) => NOON + index),
        'when they are due',
      );
      const some = await answerOf(store.ends.due(FAR, 6));
      expectEqual(some.hasMore, true, 'whether more is due than was given');
      expectThat(some.ends.length <= 6, 'no more ends are given than were asked for');
      const others = some.ends.filter(({ tenant }) => tenant === 'few').map(({ id }) => id);
      expectEqual(others, ['s0', 's1'], 'those of the tenant with few');
      expectEqual(
        (await answerOf(store.ends.due(NOON + 3, 10))).ends.length,
        4,
        'those that are due before the others',
      );
    },
  },
];
