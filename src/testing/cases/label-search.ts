import { SEARCH_LIMIT } from '../../session/limits.js';
import type { SessionLabels } from '../../session/session.js';
import { expectEqual } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { at, insertUpdated, mine, pageOf, walk } from '../search-steps.js';
import { answerOf, append, errorOf, insert, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const ofWeb: SessionLabels = { user: 'u-1', channel: 'web' };

/** Twelve sessions of two users on two channels: six of `u-1`, three of them on the web. */
const insertUsers = async (store: TodaysStore): Promise<void> => {
  for (const at of upTo(12)) {
    const labels = { channel: at % 4 < 2 ? 'web' : 'phone', user: at % 2 === 0 ? 'u-1' : 'u-2' };
    const id = `s${String(at).padStart(2, '0')}`;
    await insert(store, keyOf(id), headOf(id, NOON + at), live('IDLE', { labels }));
  }
};

export const labelSearch: readonly StoreCase[] = [
  {
    name: 'label: several labels give the sessions that have all of them, in both orders, with their total',
    run: async (store) => {
      await insertUsers(store);
      expectEqual(
        await pageOf(store, { labels: ofWeb }),
        { ids: ['s08', 's04', 's00'], total: 3, next: undefined },
        'newest',
      );
      const oldest = await pageOf(store, { labels: ofWeb, order: 'oldest' });
      expectEqual([oldest.ids, oldest.total], [['s00', 's04', 's08'], 3], 'oldest');
      const second = await pageOf(store, { labels: ofWeb, offset: 1, limit: 1 });
      expectEqual([second.ids, second.total], [['s04'], 3], 'the second page');
      const beyond = await pageOf(store, { labels: ofWeb, offset: 3, limit: 3 });
      expectEqual([beyond.ids, beyond.total], [[], 3], 'a page after the last');
      const between = { createdAfter: at(0), createdBefore: at(8) };
      const inner = await pageOf(store, { labels: ofWeb, ...between });
      expectEqual([inner.ids, inner.total], [['s04'], 1], 'those between two times');
      for (const labels of [
        { ...ofWeb, lesson: 'any' },
        { user: 'web', channel: 'u-1' },
        { user: 'u-1', channel: 'we' },
      ]) {
        const none = await pageOf(store, { labels });
        expectEqual([none.ids, none.total], [[], 0], `those with ${JSON.stringify(labels)}`);
      }
      expectEqual(
        (await pageOf(store, { labels: ofWeb }, 'globex')).total,
        0,
        'those of another tenant',
      );
      for (const order of ['newest', 'oldest'] as const) {
        const all = (await pageOf(store, { labels: ofWeb, order })).ids;
        for (const limit of [1, 2, 3]) {
          expectEqual(
            await walk(store, { labels: ofWeb, order, limit }),
            all,
            `a walk by ${limit}, ${order} first`,
          );
        }
      }
    },
  },
  {
    name: 'label: a label with a status gives the sessions that have it at the time, ended by the clock or not',
    run: async (store) => {
      await insertUpdated(store);
      const expected = [
        ['IDLE', ['same', 'idle']],
        ['ACTIVE', ['left', 'due', 'used']],
        ['PAUSED', ['paused']],
        ['TERMINATED', ['over']],
      ] as const;
      for (const [status, ids] of expected) {
        const page = await pageOf(store, { labels: mine, status: { anyOf: [status], now: NOON } });
        expectEqual([page.ids, page.total], [ids, ids.length], `${status} at first`);
      }
      for (const [now, active] of [
        [NOON + 30, ['left', 'due', 'used']],
        [NOON + 31, ['due', 'used']],
        [NOON + 39, ['due', 'used']],
        [NOON + 40, ['used']],
      ] as const) {
        const page = await pageOf(store, { labels: mine, status: { anyOf: ['ACTIVE'], now } });
        expectEqual([page.ids, page.total], [active, active.length], `ACTIVE at ${now - NOON}`);
      }
      const over = await pageOf(store, {
        labels: mine,
        status: { anyOf: ['TERMINATED'], now: NOON + 40 },
        limit: 2,
      });
      expectEqual([over.ids, over.total], [['over', 'left'], 3], 'TERMINATED in the end');
      const rest = {
        labels: mine,
        status: { anyOf: ['TERMINATED'], now: NOON + 40 },
        cursor: over.next,
      } as const;
      expectEqual((await pageOf(store, rest)).ids, ['due'], 'the next page');
    },
  },
  {
    name: 'label: the order updated gives the session first that was used, changed or ended last',
    run: async (store) => {
      await insertUpdated(store);
      const stored = ['used', 'over', 'paused', 'same', 'idle', 'left', 'due'];
      const byUpdate = { labels: mine, order: 'updated' } as const;
      expectEqual(
        await pageOf(store, byUpdate),
        { ids: stored, total: 7, next: undefined },
        'as it is stored',
      );
      const before = await pageOf(store, { ...byUpdate, now: NOON + 30 });
      expectEqual(before.ids, stored, 'before the clock ends any');
      const after = ['used', 'due', 'left', 'over', 'paused', 'same', 'idle'];
      expectEqual(
        (await pageOf(store, { ...byUpdate, now: NOON + 60 })).ids,
        after,
        'with ends by the clock',
      );
      const first = await pageOf(store, { ...byUpdate, now: NOON + 60, limit: 2 });
      expectEqual(
        first,
        { ids: ['used', 'due'], total: 7, next: { id: 'due', at: at(40) } },
        'the first page',
      );
      const third = await pageOf(store, { ...byUpdate, now: NOON + 60, limit: 2, offset: 4 });
      expectEqual(
        [third.ids, third.next],
        [['paused', 'same'], { id: 'same', at: at(10) }],
        'the third page',
      );
      for (const limit of [1, 2, 3, 6, 7]) {
        expectEqual(
          await walk(store, { ...byUpdate, now: NOON + 60, limit }),
          after,
          `a walk by ${limit}`,
        );
      }
      const between = { createdAfter: at(0), createdBefore: at(5) };
      expectEqual(
        (await pageOf(store, { ...byUpdate, ...between })).ids,
        ['used', 'paused', 'left', 'due'],
        'between',
      );
      const idle = {
        ...byUpdate,
        now: NOON + 60,
        status: { anyOf: ['TERMINATED'], now: NOON + 60 },
      } as const;
      expectEqual((await pageOf(store, idle)).ids, ['due', 'left', 'over'], 'of a status');
      const relabelled = live('IDLE', {
        revision: 2,
        labels: { ...mine, title: 'x' },
        lastActivityAt: NOON + 70,
      });
      await replace(store, keyOf('idle'), relabelled);
      expectEqual(
        (await pageOf(store, { ...byUpdate, limit: 2 })).ids,
        ['idle', 'used'],
        'after a change of labels',
      );
      await answerOf(store.remove(keyOf('used')));
      const left = await pageOf(store, { ...byUpdate, limit: 2 });
      expectEqual([left.ids, left.total], [['idle', 'over'], 6], 'after a removal');
    },
  },
  {
    name: 'label: a page of a search has the sessions as find gives them, with the end of their histories',
    run: async (store) => {
      await insert(store, keyOf('one'), headOf('one'), live('ACTIVE', { labels: ofWeb }));
      await append(store, keyOf('one'), ['hello', 'you']);
      for (const historyLimit of [undefined, 0, 1]) {
        const found = await answerOf(store.find(keyOf('one'), { historyLimit }));
        const page = await answerOf(
          store.list(TENANT, { offset: 0, limit: 1, labels: ofWeb, historyLimit }),
        );
        expectEqual(
          page,
          { records: [found], total: 1, unreadable: [] },
          `with ${historyLimit} entries`,
        );
      }
    },
  },
  {
    name: 'label: a search examines up to 10,000 sessions, and more are an error; a list by one label alone has no limit',
    run: async (store, second) => {
      const most = SEARCH_LIMIT;
      const insertAt = async (n: number, each: TodaysStore) => {
        const labels = n < 2 ? { user: 'u-1', rare: 'yes' } : mine;
        await insert(each, keyOf(`s${n}`), headOf(`s${n}`, NOON + n), live('IDLE', { labels }));
      };
      for (let from = 0; from < most; from += 200) {
        await Promise.all(upTo(200).map((n) => insertAt(from + n, n % 2 === 0 ? store : second)));
      }
      const byUpdate = { offset: 0, limit: 1, labels: mine, order: 'updated' } as const;
      expectEqual(
        (await answerOf(store.list(TENANT, byUpdate))).total,
        most,
        'the total of as many',
      );
      await insertAt(most, store);
      for (const range of [
        byUpdate,
        { ...byUpdate, order: 'newest', status: { anyOf: ['IDLE'], now: NOON } } as const,
        { ...byUpdate, labels: undefined } as const,
      ]) {
        const error = await errorOf(store.list(TENANT, range));
        const told = error.type === 'search_too_large' ? error.limit : error.type;
        expectEqual(told, most, 'the limit in the error of one more');
      }
      expectEqual(
        (await pageOf(store, { labels: mine, limit: 1 })).total,
        most + 1,
        'the total of one label alone',
      );
      const rare = await pageOf(store, { labels: { user: 'u-1', rare: 'yes' } });
      expectEqual(
        [rare.ids, rare.total],
        [['s1', 's0'], 2],
        'the sessions of a rare label among them',
      );
      for (const labels of [mine, undefined]) {
        const later = await pageOf(store, { ...byUpdate, labels, createdAfter: at(0) });
        expectEqual(later.total, most, 'the total of those of a shorter time');
      }
    },
  },
];
