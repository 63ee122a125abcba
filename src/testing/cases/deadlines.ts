import type { StateRecord } from '../../session/session-record.js';
import { expectEqual } from '../expect-equal.js';
import { race } from '../race.js';
import { ended, headOf, keyOf, live, NOON, upTo } from '../samples.js';
import { answerOf, append, dueOf, insert, replace, replacing, reschedule } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { DueSession, SessionKey, TodaysStore } from '../todays-store.js';

const key = keyOf('one');

const insertDue = (
  store: TodaysStore,
  each: SessionKey,
  deadline: number,
  state: StateRecord = live('IDLE'),
) => insert(store, each, headOf(each.id), { ...state, deadline });

const keyOfDue = ({ tenant, id }: DueSession): SessionKey => ({ tenant, id });

const isDue = async (store: TodaysStore, now: number): Promise<boolean> => {
  const due = await dueOf(store, now, 10);
  return due.some(({ tenant, id }) => tenant === key.tenant && id === key.id);
};

export const deadlines: readonly StoreCase[] = [
  {
    name: 'due: a session is due from the millisecond of its deadline on',
    run: async (store) => {
      await insertDue(store, key, NOON + 100);
      expectEqual(await dueOf(store, NOON + 99, 10), [], 'due a millisecond before');
      for (const now of [NOON + 100, NOON + 101, NOON + 1_000_000_000]) {
        expectEqual(await dueOf(store, now, 10), [{ ...key, dueAt: NOON + 100 }], `due at ${now}`);
      }
    },
  },
  {
    name: 'due: the longest overdue first, at most limit',
    run: async (store) => {
      const order = [3, 0, 4, 1, 2];
      // The higher the id, the earlier the deadline: the order is not that of the ids.
      const dueKey = (index: number) => keyOf(`s${9 - index}`);
      for (const index of order) await insertDue(store, dueKey(index), NOON + index);
      await insertDue(store, keyOf('not yet'), NOON + 1000);
      await insert(store, keyOf('never'));
      const all = upTo(5).map((index) => ({ ...dueKey(index), dueAt: NOON + index }));
      for (const limit of [0, 1, 3, 5, 6, 1000]) {
        expectEqual(
          await dueOf(store, NOON + 10, limit),
          all.slice(0, limit),
          `due, at most ${limit}`,
        );
      }
      expectEqual(await dueOf(store, NOON + 2, 10), all.slice(0, 3), 'due two milliseconds later');
    },
  },
  {
    name: 'due: sessions with the same deadline are all due',
    run: async (store) => {
      const ids = upTo(30).map((index) => `s${index}`);
      for (const id of ids) await insertDue(store, keyOf(id), NOON);
      const due = await dueOf(store, NOON, 100);
      expectEqual(due.map(({ id }) => id).toSorted(), ids.toSorted(), 'the ids');
      expectEqual((await dueOf(store, NOON, 7)).length, 7, 'the number of those asked for');
    },
  },
  {
    name: 'due: nothing is due in an empty store, nor without a deadline',
    run: async (store) => {
      expectEqual(await dueOf(store, Number.MAX_SAFE_INTEGER, 10), [], 'due in an empty store');
      await insert(store, key);
      expectEqual(await dueOf(store, Number.MAX_SAFE_INTEGER, 10), [], 'due without a deadline');
    },
  },
  {
    name: 'due: replace moves the deadline, or takes it away',
    run: async (store) => {
      await insertDue(store, key, NOON + 10);
      await replace(store, key, live('ACTIVE', { revision: 2, deadline: NOON + 50 }));
      expectEqual(await isDue(store, NOON + 49), false, 'due before a later deadline');
      expectEqual(
        await dueOf(store, NOON + 50, 10),
        [{ ...key, dueAt: NOON + 50 }],
        'due at a later deadline',
      );
      await replace(store, key, live('PAUSED', { revision: 3, deadline: NOON + 20 }));
      expectEqual(
        await dueOf(store, NOON + 20, 10),
        [{ ...key, dueAt: NOON + 20 }],
        'due at an earlier one',
      );
      await replace(store, key, live('ACTIVE', { revision: 4 }));
      expectEqual(await isDue(store, NOON + 1_000_000), false, 'due without a deadline');
      await replace(store, key, live('PAUSED', { revision: 5, deadline: NOON + 30 }));
      expectEqual(await isDue(store, NOON + 30), true, 'due with a deadline again');
      await replace(store, key, ended('terminated', { revision: 6 }));
      expectEqual(await isDue(store, NOON + 1_000_000), false, 'due after the end');
    },
  },
  {
    name: 'due: a session that has ended is due when its retention is over',
    run: async (store) => {
      await insertDue(store, key, NOON + 10);
      await replace(store, key, ended('failed', { revision: 2, deadline: NOON + 60 }));
      expectEqual(await isDue(store, NOON + 59), false, 'due before');
      expectEqual(await dueOf(store, NOON + 60, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
      expectEqual(await answerOf(store.remove(key, { revision: 2 })), 'removed', 'remove');
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due after the removal');
    },
  },
  {
    name: 'due: a call that writes nothing moves no deadline',
    run: async (store) => {
      await insertDue(store, key, NOON + 10);
      await answerOf(replacing(store, key, live('ACTIVE', { revision: 3, deadline: NOON + 99 })));
      await answerOf(replacing(store, key, ended('terminated', { revision: 1 })));
      await answerOf(
        store.insert(key.tenant, headOf('one'), live('IDLE', { deadline: NOON + 77 })),
      );
      expectEqual(await dueOf(store, NOON + 1000, 10), [{ ...key, dueAt: NOON + 10 }], 'due');
    },
  },
  {
    name: 'due: reads and appends move no deadline',
    run: async (store) => {
      await insertDue(store, key, NOON + 1000, live('ACTIVE'));
      await append(store, key, ['hello']);
      await answerOf(store.find(key));
      await answerOf(store.list(key.tenant, { offset: 0, limit: 10 }));
      expectEqual(await dueOf(store, NOON + 1000, 10), [{ ...key, dueAt: NOON + 1000 }], 'due');
    },
  },
  {
    name: 'due: of all tenants, and a tenant with many delays none with few',
    run: async (store) => {
      const many = upTo(40).map((index) => keyOf(`s${index}`, 'many'));
      const few = upTo(3).map((index) => keyOf(`s${index}`, 'few'));
      for (const each of many) await insertDue(store, each, NOON);
      for (const each of few) await insertDue(store, each, NOON + 1);
      const due = await dueOf(store, NOON + 1, 10);
      expectEqual(
        due.filter(({ tenant }) => tenant === 'few').map(keyOfDue),
        few,
        'the few that are due',
      );
      const all = await dueOf(store, NOON + 1, 1000);
      expectEqual(all.length, 43, 'the number of all that are due');
      expectEqual(
        (await answerOf(store.due(NOON + 1, 10))).hasMore,
        true,
        'whether more is due than was given',
      );
    },
  },
  {
    name: 'reschedule: of two callers who reschedule a session from the same time, one succeeds',
    run: async (store, second) => {
      const due = { ...key, dueAt: NOON };
      const over = ended('time_limit', { revision: 2, deadline: NOON });
      await insertDue(store, key, NOON, live('ACTIVE'));
      await replace(store, key, over);
      await reschedule(store, due, NOON + 60);
      for (const each of [store, second]) {
        expectEqual(
          await answerOf(each.reschedule(key, { from: NOON, to: NOON + 70 })),
          'stale',
          'the second',
        );
      }
      const noted = async (each: TodaysStore, now: number) =>
        (await answerOf(each.due(now, 10))).sessions;
      expectEqual(await noted(store, NOON + 59), [], 'due before');
      expectEqual(await noted(second, NOON + 60), [{ ...key, dueAt: NOON + 60 }], 'due then');
      const outcomes = await race(store, second, (each) =>
        Promise.resolve(
          answerOf(each.reschedule(key, { from: NOON + 60, to: Number.POSITIVE_INFINITY })),
        ),
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'moved').length,
        1,
        'how many have done it',
      );
      expectEqual(await dueOf(store, Number.MAX_SAFE_INTEGER, 10), [], 'due at any time');
      expectEqual(await answerOf(store.findState(key)), over, 'the state');
    },
  },
  {
    name: 'reschedule: a session that has not ended is due no later than at its deadline, unless it is damaged',
    run: async (store) => {
      const due = { ...key, dueAt: NOON + 10 };
      await insertDue(store, key, NOON + 10);
      for (const to of [NOON + 20, Number.POSITIVE_INFINITY]) {
        await answerOf(store.reschedule(key, { from: NOON + 10, to }));
        expectEqual(
          await dueOf(store, NOON + 10, 10),
          [due],
          `due after it was rescheduled to ${to}`,
        );
      }
      const damaged = { from: NOON + 10, to: NOON + 20, isDamaged: true };
      expectEqual(
        await answerOf(store.reschedule(key, damaged)),
        'moved',
        'reschedule where it is damaged',
      );
      expectEqual(
        await answerOf(store.due(NOON + 19, 10)),
        { sessions: [], failed: [], hasMore: false },
        'due before',
      );
      const { sessions } = await answerOf(store.due(NOON + 20, 10));
      expectEqual(sessions, [{ ...key, dueAt: NOON + 20 }], 'due then');
    },
  },
  {
    name: 'reschedule: a session that keeps its time has not moved, and waits for a worker from the same time on',
    run: async (store) => {
      await insert(
        store,
        key,
        headOf('one'),
        live('ACTIVE', { deadline: NOON + 10, work: { wakeAt: NOON + 5 } }),
      );
      for (const to of [NOON + 10, NOON + 20]) {
        expectEqual(
          await answerOf(store.reschedule(key, { from: NOON + 10, to })),
          'stale',
          `reschedule to ${to}`,
        );
      }
      await reschedule(store, { ...key, dueAt: NOON + 10 }, NOON + 7);
      const range = { tenant: key.tenant, now: NOON + 5, until: NOON + 100, limit: 10 };
      const { sessions } = await answerOf(store.claim(range));
      expectEqual(
        sessions.map(({ id, dueAt }) => [id, dueAt]),
        [[key.id, NOON + 5]],
        'what is claimed',
      );
    },
  },
  {
    name: 'reschedule: a session that is not there, or is due at no time, stays so',
    run: async (store) => {
      expectEqual(
        await answerOf(store.reschedule(key, { from: NOON, to: NOON + 1 })),
        'stale',
        'where none is',
      );
      await insert(store, key);
      expectEqual(
        await answerOf(store.reschedule(key, { from: NOON, to: NOON + 1 })),
        'stale',
        'without a deadline',
      );
      expectEqual(await dueOf(store, Number.MAX_SAFE_INTEGER, 10), [], 'due');
    },
  },
];
