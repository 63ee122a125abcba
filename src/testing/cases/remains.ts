import type { StateRecord } from '../../session/session-record.js';
import { expectEqual } from '../expect-equal.js';
import {
  active,
  end,
  expectGone,
  expectNothingDue,
  FAR,
  key,
  remainsOf,
  removeWithRemains,
  start,
} from '../report-steps.js';
import { keyOf, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, append, dueOf, insert, replace, replacing, reschedule } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

/** A later state of what is left of a session: a sweep has claimed its report. */
const claimOf = (state: StateRecord, dueAt: number): StateRecord => ({
  ...state,
  revision: state.revision + 1,
  report: { removal: '7', dueAt, removedAt: NOON + 20 },
});

const labelledTotal = async (store: TodaysStore): Promise<number> => {
  const range = { offset: 0, limit: 10, labels: { user: 'u:1' } };
  return (await answerOf(store.list(TENANT, range))).total;
};

export const remains: readonly StoreCase[] = [
  {
    name: 'remains: what is left of a removed session is due, and no reader sees the session',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1' });
      await append(store, key, ['hello'], 'op');
      const state = { ...active, labels: { user: 'u:1' } };
      const left = await removeWithRemains(store, state);
      await expectGone(second);
      expectEqual(await labelledTotal(second), 0, 'the sessions with its label');
      expectEqual(await dueOf(second, NOON + 19, 10), [], 'due a millisecond before');
      expectEqual(await dueOf(second, FAR, 10), [{ ...left, dueAt: NOON + 20 }], 'due');
      expectEqual(await answerOf(second.findState(left)), remainsOf(state).state, 'its state');
    },
  },
  {
    name: 'remains: a claim moves the due time, and after a removal nothing is left',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1' });
      const left = await removeWithRemains(store, { ...active, labels: { user: 'u:1' } });
      const found = await answerOf(store.findState(left));
      if (found === undefined) throw new Error('nothing is left');
      const claimed = claimOf(found, NOON + 100);
      expectEqual(await answerOf(store.replace(left, found, claimed)), 'replaced', 'the claim');
      expectEqual(await answerOf(second.replace(left, found, claimed)), 'stale', 'a second claim');
      expectEqual(await dueOf(second, NOON + 99, 10), [], 'due before the claim is over');
      expectEqual(await dueOf(store, FAR, 10), [{ ...left, dueAt: NOON + 100 }], 'due');
      expectEqual(await labelledTotal(second), 0, 'the sessions with its label');
      const stale = { revision: found.revision, now: NOON };
      expectEqual(await answerOf(store.remove(left, stale)), 'stale', 'a removal that is late');
      expectEqual(await answerOf(store.remove(left, { now: NOON })), 'removed', 'the removal');
      expectEqual(await answerOf(store.remove(left, { now: NOON })), 'missing', 'another removal');
      expectEqual(await answerOf(store.findState(left)), undefined, 'the state');
      await expectNothingDue(second);
      await expectGone(store);
    },
  },
  {
    name: 'remains: those of several sessions that had the same id are kept beside a new one',
    run: async (store) => {
      await start(store, key, { life: 'first' });
      const first = await removeWithRemains(store, { ...active, labels: { life: 'first' } }, '1');
      await start(store, key, { life: 'second' });
      const labels = { life: 'second' };
      const second = await removeWithRemains(store, { ...active, labels }, '2', NOON + 30);
      await start(store, key);
      await replace(store, key, { ...end, report: { removal: '3', dueAt: NOON + 40 } });
      const all = [
        { ...first, dueAt: NOON + 20 },
        { ...second, dueAt: NOON + 30 },
        { ...key, dueAt: NOON + 40 },
      ];
      expectEqual(await dueOf(store, FAR, 10), all, 'due');
      expectEqual((await answerOf(store.findState(second)))?.labels, labels, 'the labels');
      expectEqual(
        await answerOf(store.remove(first, { now: NOON })),
        'removed',
        'remove the first',
      );
      expectEqual(await dueOf(store, FAR, 10), all.slice(1), 'due after that');
      expectEqual((await answerOf(store.findState(key)))?.status, 'TERMINATED', 'the session');
    },
  },
  {
    name: 'remains: a removal that is stale, or without them, leaves nothing',
    run: async (store) => {
      await start(store);
      const call = { revision: 1, now: NOON, remains: remainsOf(active) };
      expectEqual(await answerOf(store.remove(key, call)), 'stale', 'a stale removal');
      await expectNothingDue(store);
      expectEqual(await answerOf(store.findState(key)), active, 'the session');
      const missing = { now: NOON, remains: remainsOf(active) };
      expectEqual(await answerOf(store.remove(keyOf('two'), missing)), 'missing', 'no session');
      await expectNothingDue(store);
      await replace(store, key, end);
      expectEqual(await answerOf(store.remove(key, { now: NOON })), 'removed', 'without remains');
      await expectNothingDue(store);
      await expectGone(store);
    },
  },
  {
    name: 'remains: a sweep can reschedule them to any time',
    run: async (store) => {
      await start(store);
      const left = await removeWithRemains(store, active);
      await reschedule(store, { ...left, dueAt: NOON + 20 }, NOON + 500);
      const { sessions } = await answerOf(store.due(FAR, 10));
      expectEqual(sessions, [{ ...left, dueAt: NOON + 500 }], 'due');
      const stale = { from: NOON + 20, to: NOON + 600 };
      expectEqual(await answerOf(store.reschedule(left, stale)), 'stale', 'from another time');
    },
  },
  {
    name: 'remains: of an end and a removal at the same time, one decides what is due',
    run: async (store, second) => {
      const outcomes: string[] = [];
      for (const round of upTo(10)) {
        await start(store);
        const remove = { revision: 2, now: NOON + 20, remains: remainsOf(active, String(round)) };
        const calls = [
          () => answerOf(store.replace(key, active, end)),
          () => answerOf(second.remove(key, remove)),
        ];
        const inTurn = round % 2 === 0 ? calls : calls.toReversed();
        const both = await Promise.all(inTurn.map((call): Promise<string> => call()));
        outcomes.push(both.filter((each) => each === 'replaced' || each === 'removed').join());
        await answerOf(store.remove(key, { now: NOON }));
      }
      expectEqual(
        outcomes.filter((each) => each !== 'replaced' && each !== 'removed'),
        [],
        'rounds in which not one of them succeeded',
      );
      const removed = outcomes.filter((each) => each === 'removed').length;
      expectEqual((await dueOf(store, FAR, 100)).length, removed, 'what is left');
    },
  },
];

/** Cases of what is left of removed sessions beside a limit on live sessions. */
export const remainsAndLimits: readonly StoreCase[] = [
  {
    name: 'remains: they count towards no limit on live sessions, and are due beside other tenants',
    run: async (store) => {
      for (const _ of upTo(2)) {
        await start(store);
        await removeWithRemains(store, active, String(_));
      }
      await insert(store, key);
      const cap = { sessions: 1, now: NOON };
      expectEqual(await answerOf(replacing(store, key, active, cap)), 'replaced', 'a start');
      await start(store, keyOf('one', 'globex'));
      await replace(store, keyOf('one', 'globex'), end);
      const due = await dueOf(store, FAR, 10);
      expectEqual(due.map(({ tenant }) => tenant).toSorted(), [TENANT, TENANT, 'globex'], 'due');
    },
  },
];
