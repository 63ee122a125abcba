import type { StateRecord } from '../../session/session-record.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, append, insert, repeatUntil, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type {
  DueSession,
  SessionKey,
  TakenRecord,
  TakeRange,
  TodaysStore,
  WaitingRange,
} from '../todays-store.js';

const key = keyOf('one');

/** Until when a claim holds off others, in these cases. */
const LATER = NOON + 10_000;

const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };

const insertWaiting = (
  store: TodaysStore,
  each: SessionKey,
  wakeAt = NOON,
  state: StateRecord = live('ACTIVE'),
) => insert(store, each, headOf(each.id), { ...state, work: { ...state.work, wakeAt } });

/** Claims in all parts of a store. */
const claim = async (
  store: TodaysStore,
  range: Partial<TakeRange> = {},
): Promise<readonly TakenRecord[]> => {
  const sessions: TakenRecord[] = [];
  let cursor: string | undefined;
  await repeatUntil('the last part of what waits', 10, async () => {
    const given = { tenant: TENANT, now: NOON, until: LATER, limit: 100, ...range, cursor };
    const { nextCursor: next, sessions: part, failed } = await answerOf(store.claim(given));
    expectEqual(failed, [], 'errors of a claim');
    expectThat(
      part.length <= given.limit,
      'a claim has at most as many sessions as were asked for',
    );
    sessions.push(...part);
    cursor = next;
    return next === undefined;
  });
  return sessions;
};

const dueOf = ({ record: _, ...due }: TakenRecord): DueSession => due;

/** The sessions of a claim, as `find` gives them without entries. */
const foundOf = (store: TodaysStore, all: readonly TakenRecord[]) =>
  Promise.all(
    all.map(({ tenant, id }) => answerOf(store.find({ tenant, id }, { historyLimit: 0 }))),
  );

export const idsOf = async (
  store: TodaysStore,
  range?: Partial<TakeRange>,
): Promise<readonly string[]> => (await claim(store, range)).map(({ id }) => id);

const countOf = (store: TodaysStore, range: Partial<WaitingRange> = {}): Promise<number> =>
  answerOf(store.countWaiting({ tenant: TENANT, now: NOON, limit: 100, ...range }));

export const claims: readonly StoreCase[] = [
  {
    name: 'claim: a session can be claimed from the millisecond on from which it waits for a worker',
    run: async (store) => {
      await insertWaiting(store, key, NOON + 5);
      await insert(store, keyOf('waits for none'), headOf('waits for none'), live('ACTIVE'));
      expectEqual(await idsOf(store, { now: NOON + 4 }), [], 'a millisecond before');
      const sessions = await claim(store, { now: NOON + 5 });
      expectEqual(sessions.map(dueOf), [{ ...key, dueAt: NOON + 5 }], 'then');
    },
  },
  {
    name: 'claim: a session that was claimed can be claimed again from `until` on, by all stores',
    run: async (store, second) => {
      await insertWaiting(store, key);
      expectEqual(await idsOf(store, { until: NOON + 50 }), ['one'], 'the first claim');
      for (const each of [store, second]) {
        expectEqual(await idsOf(each, { now: NOON + 49 }), [], 'a claim before');
      }
      expectEqual(await idsOf(second, { now: NOON + 50 }), ['one'], 'a claim from then on');
    },
  },
  {
    name: 'claim: gives each session as find does, without its history',
    run: async (store, second) => {
      const metadata = { plan: '\u0000\t\r\n' };
      const state = live('ACTIVE', { labels: { user: 'u-1' }, metadata });
      await insertWaiting(store, key, NOON, state);
      await append(store, key, ['hello', 'goodbye']);
      await insertWaiting(store, keyOf('two'), NOON + 1, live('IDLE'));
      const other = keyOf('one', 'other');
      await insertWaiting(store, other, NOON + 2, live('PAUSED', { revision: 7 }));
      const mine = await claim(second, { now: NOON + 1 });
      const others = await claim(store, { tenant: undefined, now: NOON + 2 });
      const all = [...mine, ...others];
      expectEqual(
        all.map(dueOf),
        [key, keyOf('two'), other].map((each, at) => ({ ...each, dueAt: NOON + at })),
        'the sessions of two claims',
      );
      const records = all.map(({ record }) => record);
      expectEqual(records, await foundOf(store, all), 'their records');
      expectEqual(records[0]?.historyCount, 2, 'the number of entries, none of which is given');
      await replace(store, key, {
        ...state,
        revision: 2,
        status: 'PAUSED',
        work: { wakeAt: NOON },
      });
      const again = await claim(second);
      expectEqual(
        again.map(({ record }) => record),
        await foundOf(store, again),
        'a record that has changed since',
      );
    },
  },
  {
    name: 'claim: the longest waiting first, at most limit',
    run: async (store) => {
      const order = [3, 0, 4, 1, 2];
      // The higher the id, the earlier the time: the order is not that of the ids.
      for (const at of order) await insertWaiting(store, keyOf(`s${9 - at}`), NOON + at);
      const now = NOON + 10;
      expectEqual(await idsOf(store, { now, limit: 2 }), ['s9', 's8'], 'the first two');
      expectEqual(await idsOf(store, { now, limit: 1 }), ['s7'], 'the next one');
      expectEqual(await idsOf(store, { now, limit: 100 }), ['s6', 's5'], 'the rest');
      expectEqual(await idsOf(store, { now, limit: 100 }), [], 'nothing more');
    },
  },
  {
    name: 'claim: racing claims give each session to one caller, and leave none out',
    run: async (store, second) => {
      const ids = upTo(2 * WRITERS).map((at) => `s${at}`);
      for (const id of ids) await insertWaiting(store, keyOf(id));
      const all = await race(store, second, (each) => claim(each, { limit: 3 }));
      const given = all.flat().map(({ id }) => id);
      expectEqual(given.toSorted(), ids.toSorted(), 'the sessions of all claims');
    },
  },
  {
    name: 'claim: a change of the state moves a session to its new time, also one that was claimed',
    run: async (store) => {
      await insertWaiting(store, key);
      expectEqual(await idsOf(store), ['one'], 'the first claim');
      await replace(store, key, live('ACTIVE', { revision: 2, work: { wakeAt: NOON } }));
      expectEqual(await idsOf(store), ['one'], 'a claim after a change');
      await replace(store, key, live('PAUSED', { revision: 3, work: { wakeAt: NOON + 20 } }));
      expectEqual(await idsOf(store, { now: NOON + 19 }), [], 'before a later time');
      expectEqual(await idsOf(store, { now: NOON + 20 }), ['one'], 'at a later time');
      await replace(store, key, live('PAUSED', { revision: 4 }));
      expectEqual(
        await idsOf(store, { now: LATER }),
        [],
        'a session that waits for no worker any more',
      );
      await replace(store, key, live('PAUSED', { revision: 5, work: { wakeAt: NOON } }));
      expectEqual(await idsOf(store), ['one'], 'a session that waits again');
      await replace(store, key, ended('failed', { revision: 6, work: { wakeAt: NOON } }));
      expectEqual(await idsOf(store, { now: LATER }), [], 'a session that has ended');
    },
  },
  {
    name: 'claim: a lease holds off claims, and a claim that was not released is made again after a delay',
    run: async (store) => {
      await insertWaiting(store, key, NOON, live('ACTIVE', { work: { lease } }));
      expectEqual(await idsOf(store, { now: NOON + 999 }), [], 'while the session is leased');
      expectEqual(await idsOf(store, { now: NOON + 1000 }), ['one'], 'at the end of the lease');
      const claimed = { ...lease, maxAttempts: 10 };
      await replace(store, key, live('ACTIVE', { revision: 2, work: { lease: claimed } }));
      const again = NOON + 1500;
      expectEqual(await idsOf(store, { now: again - 1 }), [], 'while the claim lasts');
      expectEqual(await idsOf(store, { now: again }), ['one'], 'after a claim');
      const released = { ...lease, until: 0, releasedAt: NOON + 7 };
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease: released } }));
      expectEqual(await idsOf(store, { now: LATER }), [], 'after its release');
    },
  },
  {
    name: 'claim: appends, reads and sweeps leave what waits as it is, and claims leave the rest',
    run: async (store) => {
      await insertWaiting(store, key, NOON, live('ACTIVE', { deadline: NOON + 10 }));
      await append(store, key, ['hello']);
      const due = await answerOf(store.due(NOON + 10, 10));
      expectEqual(due.sessions, [{ ...key, dueAt: NOON + 10 }], 'what is due');
      const state = await answerOf(store.findState(key));
      expectEqual(await idsOf(store), ['one'], 'the claim');
      await append(store, key, ['goodbye']);
      expectEqual(await idsOf(store), [], 'a claim after an append');
      expectEqual(await answerOf(store.findState(key)), state, 'the state after a claim');
      expectEqual(await answerOf(store.due(NOON + 10, 10)), due, 'what is due after a claim');
    },
  },
  {
    name: 'claim: of all tenants, gives next what an earlier one has left',
    run: async (store) => {
      for (const at of upTo(3)) await insertWaiting(store, keyOf(`s${at}`), NOON + at);
      const range = { tenant: undefined, now: NOON + 10, limit: 1 };
      const ids = [await idsOf(store, range), await idsOf(store, range), await idsOf(store, range)];
      expectEqual(ids, [['s0'], ['s1'], ['s2']], 'three claims');
    },
  },
  {
    name: 'claim: a call that writes nothing moves nothing',
    run: async (store) => {
      await insertWaiting(store, key);
      const next = live('ACTIVE', { revision: 8, work: { wakeAt: LATER } });
      expectEqual(
        await answerOf(store.replace(key, { ...next, revision: 7 }, next)),
        'stale',
        'replace',
      );
      const again = live('ACTIVE', { work: { wakeAt: LATER } });
      expectEqual(await answerOf(store.insert(TENANT, headOf('one'), again)), 'taken', 'insert');
      expectEqual(await idsOf(store), ['one'], 'the claim');
    },
  },
  {
    name: 'claim: a removed session cannot be claimed, and a later one with its id can',
    run: async (store) => {
      await insertWaiting(store, key);
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      expectEqual(await idsOf(store), [], 'after the removal');
      await insertWaiting(store, key, NOON + 5);
      expectEqual(
        await idsOf(store, { now: NOON + 4 }),
        [],
        'before the time of the later session',
      );
      expectEqual(await idsOf(store, { now: NOON + 5 }), ['one'], 'at its time');
    },
  },
  {
    name: "claim: gives a tenant's sessions, or those of all tenants; one with many delays none with few",
    run: async (store) => {
      const many = upTo(40).map((at) => keyOf(`s${at}`, 'many'));
      const few = upTo(3).map((at) => keyOf(`s${at}`, 'few'));
      for (const each of many) await insertWaiting(store, each);
      for (const each of few) await insertWaiting(store, each, NOON + 1);
      const now = NOON + 1;
      expectEqual(await idsOf(store, { now }), [], 'the claim of a tenant without sessions');
      const all = await claim(store, { tenant: undefined, now, limit: 10 });
      expectEqual(
        all.filter(({ tenant }) => tenant === 'few').map(({ tenant, id }) => ({ tenant, id })),
        few,
        'the few',
      );
      const rest = await claim(store, { tenant: 'many', now, limit: 1000 });
      expectEqual(all.length + rest.length, 43, 'the number of all sessions');
    },
  },
  {
    name: 'countWaiting: counts what a claim could return, by all stores, and leaves it to be claimed',
    run: async (store, second) => {
      for (const at of upTo(3)) await insertWaiting(store, keyOf(`s${at}`), NOON + at);
      await insert(store, keyOf('waits for none'), headOf('waits for none'), live('ACTIVE'));
      await insertWaiting(store, keyOf('leased'), NOON, live('ACTIVE', { work: { lease } }));
      for (const [at, each] of [store, second, store, second].entries()) {
        expectEqual(
          await countOf(each, { now: NOON + at - 1 }),
          at,
          `the number ${at - 1} milliseconds later`,
        );
      }
      const now = NOON + 2;
      expectEqual(await idsOf(store, { now, limit: 1 }), ['s0'], 'a claim');
      expectEqual(await countOf(second, { now }), 2, 'the number after it');
      expectEqual(
        await countOf(second, { now: LATER }),
        4,
        'the number when the claim and the lease are over',
      );
      expectEqual(await answerOf(store.remove(keyOf('s1'))), 'removed', 'remove');
      expectEqual(await countOf(store, { now }), 1, 'the number after a removal');
    },
  },
  {
    name: 'countWaiting: counts the sessions of a tenant, or of all tenants, up to the limit',
    run: async (store) => {
      const tenants = ['one', 'other', 'third'];
      for (const tenant of tenants)
        for (const at of upTo(4)) await insertWaiting(store, keyOf(`s${at}`, tenant));
      await insertWaiting(store, keyOf('s0', 'later'), NOON + 1);
      expectEqual(await countOf(store), 0, 'of a tenant without sessions');
      expectEqual(await countOf(store, { tenant: 'other' }), 4, 'of a tenant');
      expectEqual(await countOf(store, { tenant: undefined }), 12, 'of all tenants');
      for (const limit of [1, 3, 4]) {
        expectEqual(
          await countOf(store, { tenant: 'other', limit }),
          limit,
          `of a tenant, up to ${limit}`,
        );
        expectEqual(
          await countOf(store, { tenant: undefined, limit }),
          limit,
          `of all tenants, up to ${limit}`,
        );
      }
      expectEqual(
        await countOf(store, { tenant: undefined, limit: 11 }),
        11,
        'of all tenants, up to one less',
      );
    },
  },
];
