import type { OpenStatus } from '../../session/session-status.js';
import type { SessionStore, UnleasedPage, UnleasedPosition, UnleasedRange } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, append, insert, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const FAR = NOON + 1_000_000;

const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };

const pageOf = async (
  store: SessionStore,
  range: Partial<UnleasedRange> = {},
  tenant = TENANT,
): Promise<UnleasedPage> => {
  if (store.unleased === undefined) throw new Error('the store has no method unleased');
  return answerOf(store.unleased(tenant, { status: 'ACTIVE', now: FAR, limit: 100, ...range }));
};

const idsIn = ({ records }: UnleasedPage): readonly string[] => records.map(({ head }) => head.id);

const idsOf = async (store: SessionStore, status: OpenStatus, now = FAR): Promise<readonly string[]> =>
  idsIn(await pageOf(store, { status, now }));

/** The ids of all pages. */
const walk = async (
  store: SessionStore,
  limit: number,
  between: (page: UnleasedPage) => Promise<void> = async () => undefined,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  let after: UnleasedPosition | undefined;
  for (const _ of upTo(100)) {
    const page = await pageOf(store, { limit, after });
    expectThat(page.records.length <= limit, 'a page has at most as many sessions as were asked for');
    ids.push(...idsIn(page));
    if (page.next === undefined) return ids;
    after = page.next;
    await between(page);
  }
  throw new Error('the walk does not end');
};

/** Cases of a store that finds the sessions that nobody holds. */
export const unleased: readonly StoreCase[] = [
  {
    name: 'unleased: gives the longest waiting first: by the end of a lease, its release, or the entry of the status',
    run: async (store) => {
      const over = { ...lease, until: NOON + 3000 };
      const released = { ...lease, until: 0, releasedAt: NOON + 4000 };
      const states = {
        'run out': live('ACTIVE', { since: NOON - 9, lease: over }),
        released: live('ACTIVE', { since: NOON - 8, lease: released }),
        'resumed after a release': live('ACTIVE', { since: NOON + 5000, lease: released }),
        'never leased': live('ACTIVE', { since: NOON + 2000 }),
        'started early': live('ACTIVE', { since: NOON + 1000 }),
      };
      for (const [id, state] of Object.entries(states)) await insert(store, keyOf(id), headOf(id, NOON - 10), state);
      const expected = ['started early', 'never leased', 'run out', 'released', 'resumed after a release'];
      expectEqual(await idsOf(store, 'ACTIVE'), expected, 'sessions that were inserted');
      for (const [at, id] of expected.toReversed().entries()) {
        await replace(store, keyOf(id), live('ACTIVE', { revision: 2, since: NOON + at }));
      }
      expectEqual(await idsOf(store, 'ACTIVE'), expected.toReversed(), 'sessions that were replaced');
    },
  },
  {
    name: 'unleased: a session that somebody holds comes at the end of its lease, to the millisecond',
    run: async (store) => {
      const key = keyOf('one');
      await insert(store, key, headOf('one'), live('ACTIVE'));
      expectEqual(await idsOf(store, 'ACTIVE', NOON - 1), [], 'before it began');
      expectEqual(await idsOf(store, 'ACTIVE', NOON), ['one'], 'when it began');
      await replace(store, key, live('ACTIVE', { revision: 2, lease }));
      expectEqual(await idsOf(store, 'ACTIVE', NOON + 999), [], 'while it is leased');
      expectEqual(await idsOf(store, 'ACTIVE', NOON + 1000), ['one'], 'at the end of the lease');
      await replace(store, key, live('ACTIVE', { revision: 3, lease: { ...lease, until: NOON + 2000 } }));
      expectEqual(await idsOf(store, 'ACTIVE', NOON + 1999), [], 'while the renewed lease lasts');
      expectEqual(await idsOf(store, 'ACTIVE', NOON + 2000), ['one'], 'at the end of the renewed lease');
      await replace(store, key, live('ACTIVE', { revision: 4, lease: { ...lease, until: 0, releasedAt: NOON + 500 } }));
      expectEqual(await idsOf(store, 'ACTIVE', NOON + 500), ['one'], 'once it is released');
    },
  },
  {
    name: 'unleased: each status has its own sessions, and those that have ended or are removed are gone',
    run: async (store) => {
      const key = keyOf('one');
      const expectIn = async (status: OpenStatus | undefined, when: string): Promise<void> => {
        for (const each of ['IDLE', 'ACTIVE', 'PAUSED'] as const) {
          expectEqual(
            await idsOf(store, each),
            each === status ? ['one'] : [],
            `the sessions that are ${each}, ${when}`,
          );
        }
      };
      await insert(store, key);
      await expectIn('IDLE', 'after insert');
      await replace(store, key, live('ACTIVE', { revision: 2, lease }));
      await expectIn('ACTIVE', 'after the start');
      await replace(store, key, live('PAUSED', { revision: 3 }));
      await expectIn('PAUSED', 'after the pause');
      await replace(store, key, live('ACTIVE', { revision: 4 }));
      await expectIn('ACTIVE', 'after resuming');
      await replace(store, key, ended('failed', { revision: 5 }));
      await expectIn(undefined, 'after the end');
      await answerOf(store.remove(key));
      await insert(store, key, headOf('one'), live('PAUSED'));
      await expectIn('PAUSED', 'created again');
      await answerOf(store.remove(key));
      await expectIn(undefined, 'after remove');
      await insert(store, key, headOf('one'), ended('failed'));
      await expectIn(undefined, 'inserted after its end');
    },
  },
  {
    name: 'unleased: a walk by cursor meets each session once, also among many of one millisecond',
    run: async (store) => {
      const ids = [...upTo(23).map((at) => `same-${at}`), 'B', 'a', 'a b', '%', 'é', '~'];
      for (const id of ids) await insert(store, keyOf(id), headOf(id), live('ACTIVE'));
      for (const at of upTo(5)) {
        await insert(store, keyOf(`later-${at}`), headOf(`later-${at}`), live('ACTIVE', { since: NOON + 1 + at }));
      }
      const whole = idsIn(await pageOf(store));
      expectEqual(
        whole.toSorted(),
        [...ids, ...upTo(5).map((at) => `later-${at}`)].toSorted(),
        'the sessions of one page',
      );
      expectEqual(
        whole.slice(-5),
        upTo(5).map((at) => `later-${at}`),
        'the last of them',
      );
      for (const limit of [1, 4, 34, 35]) expectEqual(await walk(store, limit), whole, `a walk by ${limit}`);
      const last = await pageOf(store, { limit: whole.length });
      expectEqual(last.next, undefined, 'the cursor after the last page');
    },
  },
  {
    name: 'unleased: a walk by cursor stays correct while sessions before and after its position are leased, end or are removed',
    run: async (store) => {
      for (const at of upTo(12)) {
        await insert(store, keyOf(`s${at + 10}`), headOf(`s${at + 10}`), live('ACTIVE', { since: NOON + at }));
      }
      const taken = { ...lease, until: FAR + 1 };
      const met = await walk(store, 3, async ({ records }) => {
        const [first, second, third] = records.map(({ head }) => keyOf(head.id));
        if (first) await replace(store, first, live('ACTIVE', { revision: 2, lease: taken }));
        if (second) await answerOf(store.remove(second));
        if (third) await replace(store, third, ended('failed', { revision: 2 }));
        await answerOf(store.remove(keyOf('s20')));
      });
      expectEqual(
        met,
        upTo(12)
          .map((at) => `s${at + 10}`)
          .filter((id) => id !== 's20'),
        'the sessions of the walk',
      );
      expectEqual(await idsOf(store, 'ACTIVE'), met.slice(-2), 'the sessions that are left');
    },
  },
  {
    name: 'unleased: an append neither moves a session nor brings it forward',
    run: async (store) => {
      for (const id of ['one', 'two']) await insert(store, keyOf(id), headOf(id), live('ACTIVE'));
      await append(store, keyOf('one'), ['hello'], 'op');
      expectEqual(await idsOf(store, 'ACTIVE', NOON), ['one', 'two'], 'the sessions');
    },
  },
  {
    name: 'unleased: gives sessions as find gives them without their history',
    run: async (store) => {
      const changes = { deadline: NOON + 5000, operations: ['start:op'], labels: { user: 'u-1' } };
      await insert(store, keyOf('one'), headOf('one'), live('ACTIVE', changes));
      await append(store, keyOf('one'), ['hello', 'you']);
      const { records, unreadable } = await pageOf(store);
      expectEqual(records, [await answerOf(store.find(keyOf('one'), { historyLimit: 0 }))], 'the sessions');
      expectEqual([records[0]?.historyCount, unreadable], [2, []], 'the number of entries, and what cannot be read');
    },
  },
  {
    name: "unleased: gives no other tenant's sessions, and both stores give the same",
    run: async (store, second) => {
      for (const tenant of [TENANT, 'globex', `${TENANT}:`]) {
        await insert(store, keyOf(`of ${tenant}`, tenant), headOf(`of ${tenant}`), live('ACTIVE'));
      }
      for (const each of [store, second]) {
        expectEqual(idsIn(await pageOf(each)), [`of ${TENANT}`], 'the sessions of a tenant');
        expectEqual(idsIn(await pageOf(each, {}, 'nobody')), [], 'the sessions of a tenant without any');
      }
      await answerOf(second.remove(keyOf(`of ${TENANT}`)));
      expectEqual(await idsOf(store, 'ACTIVE'), [], 'after the other store has removed it');
    },
  },
];
