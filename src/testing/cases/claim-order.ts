import type { WorkRecord } from '../../session/session-record.js';
import { hasRunOut } from '../../session/work-state.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, noTerms, say, TENANT, upTo } from '../samples.js';
import { answerOf, insert } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TakenRecord, TakeRange, TodaysStore } from '../todays-store.js';
import { idsOf } from './claims.js';

const LATER = NOON + 10_000;

/** From when on a store may no longer know a session that it took for ended. */
const A_MINUTE = 60_000;

const woken = { wakeAt: NOON };

const wait = (
  store: TodaysStore,
  tenant: string,
  id: string,
  work: WorkRecord = woken,
  changes: Parameters<typeof live>[1] = {},
) => insert(store, keyOf(id, tenant), headOf(id), live('ACTIVE', { work, ...changes }));

const use = (store: TodaysStore, id: string, now: number) =>
  answerOf(store.append(keyOf(id), { entries: [say('hello')], now }));

const countOf = (store: TodaysStore, now: number, tenant?: string) =>
  answerOf(store.countWaiting({ tenant, now, limit: 1000 }));

/** One claim, of all tenants by default, which continues in all parts of a store until its limit. */
const claimOnce = async (
  store: TodaysStore,
  range: Partial<TakeRange> = {},
): Promise<readonly TakenRecord[]> => {
  const { limit = 1 } = range;
  const claimed: TakenRecord[] = [];
  let cursor: string | undefined;
  for (let call = 0; call < 100 && claimed.length < limit; call += 1) {
    const room = limit - claimed.length;
    const inCompany = claimed.length > 0;
    const all = { now: NOON, until: LATER, ...range, limit: room, inCompany, cursor };
    const { sessions, hasMore, nextCursor } = await answerOf(store.claim(all));
    claimed.push(...sessions);
    cursor = nextCursor;
    if (sessions.some(({ record }) => hasRunOut(record.state, NOON))) break;
    if (cursor === undefined && !hasMore) break;
  }
  return claimed;
};

const tenantsOf = (claimed: readonly TakenRecord[]) => claimed.map(({ tenant }) => tenant);

/** The tenants of so many claims of one session each, by two stores alternately. */
const tenantsInTurn = async (store: TodaysStore, second: TodaysStore, claims: number) => {
  const served: string[] = [];
  for (const at of upTo(claims))
    served.push(...tenantsOf(await claimOnce(at % 2 === 0 ? store : second, { now: NOON + at })));
  return served;
};

const turns: readonly StoreCase[] = [
  {
    name: 'claim: tenants take turns in claims of one session each, in all processes',
    run: async (store, second) => {
      const tenants = ['a', 'b', 'c'];
      for (const tenant of tenants) for (const at of upTo(6)) await wait(store, tenant, `s${at}`);
      const served = await tenantsInTurn(store, second, 18);
      for (const round of upTo(6))
        expectEqual(
          served.slice(3 * round, 3 * round + 3).toSorted(),
          tenants,
          'a round of claims',
        );
    },
  },
  {
    name: 'claim: a tenant with a backlog that has waited longest holds no other tenant up',
    run: async (store, second) => {
      for (const at of upTo(30)) await wait(store, 'busy', `s${at}`, { wakeAt: NOON - 1000 });
      expectEqual(await tenantsInTurn(store, second, 3), ['busy', 'busy', 'busy'], 'alone');
      const calm = upTo(5).map((at) => `calm${at}`);
      for (const tenant of calm) await wait(store, tenant, 'one');
      const served = await tenantsInTurn(store, second, 12);
      expectEqual(served.filter((name) => name !== 'busy').toSorted(), calm, 'the others');
    },
  },
  {
    name: 'claim: tenants that share the limit of a claim take turns too',
    run: async (store) => {
      const tenants = upTo(6).map((at) => `t${at}`);
      for (const tenant of tenants) for (const at of upTo(3)) await wait(store, tenant, `s${at}`);
      let now = NOON;
      for (const _ of upTo(3)) {
        const round: string[] = [];
        for (const __ of upTo(3)) {
          now += 1;
          round.push(...tenantsOf(await claimOnce(store, { now, limit: 2 })));
        }
        expectEqual(round.toSorted(), tenants, 'three claims of two sessions each');
      }
    },
  },
];

const ends: readonly StoreCase[] = [
  {
    name: 'claim: what the clock has ended takes no place, whatever its number, and is never returned',
    run: async (store, second) => {
      const over = { deadline: NOON };
      const ids = upTo(40).map((at) => `over${at}`);
      await Promise.all(ids.map((id) => wait(store, TENANT, id, { wakeAt: NOON - 9 }, over)));
      for (const tenant of ['x', 'y', 'z']) await wait(store, tenant, 'over', woken, over);
      await wait(store, TENANT, 'live');
      await wait(store, 'other', 'live');
      const claimed = [...(await claimOnce(store)), ...(await claimOnce(second))];
      expectEqual(tenantsOf(claimed).toSorted(), [TENANT, 'other'], 'the tenants of two claims');
      expectEqual(
        claimed.map(({ id }) => id),
        ['live', 'live'],
        'their sessions',
      );
      for (const now of [NOON, NOON + A_MINUTE, NOON + 3 * A_MINUTE]) {
        const until = now + 5;
        const again = await claimOnce(store, { now, until, limit: 100 });
        expectThat(
          again.every(({ id }) => id === 'live'),
          'no later claim returns what has ended',
        );
      }
    },
  },
  {
    name: 'claim: a session can be claimed until the millisecond in which the clock ends it',
    run: async (store) => {
      await wait(store, TENANT, 'one', woken, { deadline: NOON + 5 });
      await wait(store, TENANT, 'two', woken, { deadline: NOON + 6 });
      expectEqual(await idsOf(store, { now: NOON + 5 }), ['two'], 'the claim');
    },
  },
  {
    name: 'claim: an append that postpones the end of a session keeps it in the queue',
    run: async (store, second) => {
      const terms = { ...noTerms, inactivityTimeoutMs: 10 * A_MINUTE };
      for (const id of ['unused', 'used']) await wait(store, TENANT, id, woken, { terms });
      await use(store, 'used', NOON + 1000);
      const end = NOON + 10 * A_MINUTE;
      expectEqual(await countOf(second, end, TENANT), 1, 'the number after the first end');
      expectEqual(await idsOf(second, { now: end, until: end + 5 }), ['used'], 'a claim after it');
    },
  },
  {
    name: 'claim: a session that a clock ahead took for ended is claimed after an append, in a minute',
    run: async (store, second) => {
      const terms = { ...noTerms, inactivityTimeoutMs: 10 * A_MINUTE };
      await wait(store, TENANT, 'one', woken, { terms });
      const end = NOON + 10 * A_MINUTE;
      expectEqual(await idsOf(store, { now: end + 5000 }), [], 'the claim by a clock ahead');
      await use(second, 'one', end - 5000);
      expectEqual(await idsOf(store, { now: end + A_MINUTE }), ['one'], 'a claim a minute later');
    },
  },
  {
    name: 'countWaiting: leaves out what the clock has ended, and changes nothing',
    run: async (store, second) => {
      for (const at of upTo(5)) await wait(store, TENANT, `s${at}`, woken, { deadline: NOON + at });
      await wait(store, TENANT, 'no end');
      await wait(store, 'other', 'one', woken, { deadline: NOON + 2 });
      for (const each of [store, second]) {
        expectEqual(await countOf(each, NOON + 2, TENANT), 3, 'of a tenant');
        expectEqual(await countOf(each, NOON + 2), 3, 'of all tenants');
        expectEqual(await countOf(each, NOON), 6, 'by a clock that is behind');
      }
      const ids = await idsOf(store, { now: NOON + 3 });
      expectEqual(ids.toSorted(), ['no end', 's4'], 'a claim');
    },
  },
];

/** What is in the state of a session whose worker has crashed. It waits since `until`. */
const crashed = (until: number) => ({
  lease: { holder: 'crashed', fencingToken: 1, takenAt: NOON - 9000, until, maxAttempts: 10 },
  wakeAt: NOON - 9000,
});

const alone: readonly StoreCase[] = [
  {
    name: 'claim: a session whose lease has run out is claimed alone, and leaves the others',
    run: async (store, second) => {
      for (const at of upTo(3))
        await wait(store, TENANT, `crashed${at}`, crashed(NOON - 5000 + at));
      for (const at of upTo(3)) await wait(store, TENANT, `s${at}`, { wakeAt: NOON - at });
      const idsIn = async (each: TodaysStore) =>
        (await claimOnce(each, { tenant: TENANT, limit: 10 })).map(({ id }) => id);
      for (const at of upTo(3)) expectEqual(await idsIn(store), [`crashed${at}`], 'a claim');
      expectEqual((await idsIn(second)).toSorted(), ['s0', 's1', 's2'], 'the claim of the others');
    },
  },
  {
    name: 'claim: a session whose lease has run out stays where others have waited longer, or came before',
    run: async (store) => {
      await wait(store, TENANT, 'first', { wakeAt: NOON - 2000 });
      await wait(store, TENANT, 'crashed', crashed(NOON - 1000));
      await wait(store, TENANT, 'last');
      const company = { tenant: TENANT, now: NOON, until: LATER, limit: 10, inCompany: true };
      const claimed = await claimOnce(store, { tenant: TENANT, limit: 3 });
      expectEqual(
        claimed.map(({ id }) => id),
        ['first', 'last'],
        'the first claim',
      );
      const { sessions } = await answerOf(store.claim(company));
      expectEqual(sessions, [], 'a claim in the company of others');
      const last = await claimOnce(store, { tenant: TENANT, limit: 3 });
      expectEqual(
        last.map(({ id }) => id),
        ['crashed'],
        'the claim after it',
      );
    },
  },
  {
    name: 'claim: a session whose lease has run out is claimed alone among all tenants',
    run: async (store) => {
      for (const tenant of ['a', 'b', 'c', 'd']) {
        await wait(store, tenant, 'crashed', crashed(NOON - 5000));
        await wait(store, tenant, 'calm');
      }
      const sizes: number[] = [];
      for (const _ of upTo(8)) {
        const claimed = await claimOnce(store, { limit: 10 });
        sizes.push(claimed.length);
        const isAlone = claimed.length === 1;
        expectThat(isAlone || claimed.every(({ id }) => id === 'calm'), 'it has no company');
      }
      expectEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        8,
        'the number of all claims',
      );
    },
  },
];

/** Which sessions a claim chooses. */
export const claimOrder: readonly StoreCase[] = [...turns, ...ends, ...alone];
