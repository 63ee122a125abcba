import { SEARCH_LIMIT } from '../../session/limits.js';
import type { SessionStatus } from '../../session/session-status.js';
import { expectEqual } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { at, insertUpdated, pageOf, walk } from '../search-steps.js';
import { answerOf, errorOf, insert, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const byUpdate = { order: 'updated' } as const;

/** The order `updated` without labels. */
export const updateOrder: readonly StoreCase[] = [
  {
    name: 'updated: all sessions of a tenant, the one first that was used, changed or ended last',
    run: async (store) => {
      await insertUpdated(store);
      await insert(store, keyOf('one', 'globex'));
      const stored = ['used', 'over', 'paused', 'same', 'idle', 'left', 'due', 'other'];
      expectEqual(
        await pageOf(store, byUpdate),
        { ids: stored, total: 8, next: undefined },
        'as it is stored',
      );
      const after = ['used', 'due', 'left', 'over', 'paused', 'same', 'idle', 'other'];
      const late = { ...byUpdate, now: NOON + 60 };
      expectEqual((await pageOf(store, late)).ids, after, 'with ends by the clock');
      const first = await pageOf(store, { ...late, limit: 2 });
      expectEqual(
        first,
        { ids: ['used', 'due'], total: 8, next: { id: 'due', at: at(40) } },
        'the first page',
      );
      const third = await pageOf(store, { ...late, limit: 2, offset: 4 });
      expectEqual(
        [third.ids, third.next],
        [['paused', 'same'], { id: 'same', at: at(10) }],
        'the third page',
      );
      for (const limit of [1, 3, 8])
        expectEqual(await walk(store, { ...late, limit }), after, `a walk by ${limit}`);
      const between = { createdAfter: at(0), createdBefore: at(5) };
      expectEqual(
        (await pageOf(store, { ...byUpdate, ...between })).ids,
        ['used', 'paused', 'left', 'due'],
        'between',
      );
      await answerOf(store.remove(keyOf('used')));
      const left = await pageOf(store, { ...byUpdate, limit: 2 });
      expectEqual([left.ids, left.total], [['over', 'paused'], 7], 'after a removal');
      expectEqual(
        (await pageOf(store, byUpdate, 'globex')).ids,
        ['one'],
        'those of another tenant',
      );
      expectEqual(
        (await pageOf(store, byUpdate, 'nobody')).total,
        0,
        'those of a tenant without any',
      );
    },
  },
];

/** The order `updated` with statuses. */
export const updateOrderByStatus: readonly StoreCase[] = [
  {
    name: 'updated: of some statuses, those that have one of them at the time, ended by the clock or not',
    run: async (store) => {
      await insertUpdated(store);
      const idsOf = async (now: number, ...anyOf: SessionStatus[]) => {
        const page = await pageOf(store, { ...byUpdate, now, status: { anyOf, now } });
        expectEqual(page.total, page.ids.length, `the total of ${anyOf}`);
        return page.ids;
      };
      expectEqual(await idsOf(NOON, 'IDLE'), ['same', 'idle', 'other'], 'IDLE');
      expectEqual(
        await idsOf(NOON, 'ACTIVE', 'PAUSED'),
        ['used', 'paused', 'left', 'due'],
        'ACTIVE or PAUSED',
      );
      expectEqual(
        await idsOf(NOON + 60, 'ACTIVE', 'PAUSED'),
        ['used', 'paused'],
        'after the ends by the clock',
      );
      expectEqual(await idsOf(NOON + 60, 'TERMINATED'), ['due', 'left', 'over'], 'TERMINATED');
      const others = ['due', 'left', 'over', 'same', 'idle', 'other'];
      expectEqual(await idsOf(NOON + 60, 'IDLE', 'TERMINATED'), others, 'IDLE or TERMINATED');
      const status = { anyOf: ['IDLE', 'TERMINATED'], now: NOON + 60 } as const;
      expectEqual(
        await walk(store, { ...byUpdate, now: NOON + 60, status, limit: 1 }),
        others,
        'a walk by 1',
      );
    },
  },
  {
    name: 'updated: of some statuses, up to 10,000 sessions are examined, and more are an error',
    run: async (store, second) => {
      const most = SEARCH_LIMIT;
      const insertAt = (n: number, each: TodaysStore) =>
        insert(each, keyOf(`s${n}`), headOf(`s${n}`, NOON + n));
      for (let from = 0; from < most; from += 200) {
        await Promise.all(upTo(200).map((n) => insertAt(from + n, n % 2 === 0 ? store : second)));
      }
      await insertAt(most, store);
      const totalOf = async (...anyOf: SessionStatus[]) =>
        (await pageOf(store, { ...byUpdate, limit: 1, status: { anyOf, now: NOON } })).total;
      const range = { ...byUpdate, offset: 0, limit: 1 };
      const limitOf = async (...anyOf: SessionStatus[]) => {
        const error = await errorOf(store.list(TENANT, { ...range, status: { anyOf, now: NOON } }));
        return error.type === 'search_too_large' ? error.limit : error.type;
      };
      expectEqual(await limitOf('IDLE'), most, 'the limit in the error of one more');
      await replace(store, keyOf('s7'), live('ACTIVE', { revision: 2 }));
      expectEqual(await totalOf('IDLE'), most, 'the total of as many');
      expectEqual(await totalOf('ACTIVE', 'PAUSED'), 1, 'the total of two statuses');
      expectEqual(await limitOf('IDLE', 'ACTIVE'), most, 'the limit in the error of two statuses');
    },
  },
];
