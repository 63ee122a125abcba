import type { SessionLabels } from '../../session/session.js';
import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, expectStored, insert, insertActive, repeatUntil, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { PageRange, TodaysStore } from '../todays-store.js';

const user = (value: string): SessionLabels => ({ user: value });

const insertLabelled = (
  store: TodaysStore,
  id: string,
  of: SessionLabels,
  createdMs = NOON,
  tenant = TENANT,
) => insert(store, keyOf(id, tenant), headOf(id, createdMs), live('IDLE', { labels: of }));

const pageOf = async (store: TodaysStore, range: Partial<PageRange>, tenant = TENANT) => {
  const page = await answerOf(store.list(tenant, { offset: 0, limit: 100, ...range }));
  return { ...page, ids: page.records.map(({ head }) => head.id) };
};

/**
 * Twelve sessions of two users, some created in the same millisecond, among others without labels.
 */
const insertUsers = async (store: TodaysStore) => {
  for (const at of upTo(12)) {
    const labels = { user: at % 3 === 0 ? 'u-1' : 'u-2', channel: at % 2 === 0 ? 'web' : 'phone' };
    await insertLabelled(
      store,
      `s${String(at).padStart(2, '0')}`,
      labels,
      NOON + Math.floor(at / 2) * 1000,
    );
    await insert(store, keyOf(`none-${at}`), headOf(`none-${at}`, NOON + at * 500));
  }
  return ['s09', 's06', 's03', 's00'];
};

export const labels: readonly StoreCase[] = [
  {
    name: 'label: a session is read with its labels, whatever their values',
    run: async (store) => {
      const values = [
        'u-1',
        'a=b',
        ':',
        '%0020',
        '","user":"u-2',
        ...hostileTexts.filter((text) => text !== ''),
      ];
      for (const [at, value] of values.entries()) {
        const short = value.slice(0, 256);
        const key = keyOf(`s${at}`);
        const { head, state } = await insertLabelled(store, key.id, {
          user: short,
          'a.B_c-9': 'x',
        });
        await expectStored(store, key, { head, state, history: [] });
        const next = live('ACTIVE', { revision: 2, labels: { user: short, 'a.B_c-9': 'x' } });
        await replace(store, key, next);
        await expectStored(
          store,
          key,
          { head, state: next, history: [] },
          'the record after a change',
        );
        const page = await pageOf(store, { labels: user(short), historyLimit: 0 });
        expectEqual(
          page.records.every((record) => record.state.labels?.['user'] === short),
          true,
          'the labels of the page',
        );
        expectEqual(
          page.ids.includes(`s${at}`),
          true,
          `whether the page of ${JSON.stringify(short)} has the session`,
        );
      }
    },
  },
  {
    name: 'label: a page has the sessions with the label, in both orders, with their total',
    run: async (store) => {
      const mine = await insertUsers(store);
      const newest = await pageOf(store, { labels: user('u-1') });
      expectEqual(
        [newest.ids, newest.total, newest.nextCursor],
        [mine, 4, undefined],
        'the newest first',
      );
      const oldest = await pageOf(store, { labels: user('u-1'), order: 'oldest' });
      expectEqual([oldest.ids, oldest.total], [mine.toReversed(), 4], 'the oldest first');
      const second = await pageOf(store, { labels: user('u-1'), offset: 2, limit: 2 });
      expectEqual([second.ids, second.total], [mine.slice(2), 4], 'the second page');
      expectEqual(
        (await pageOf(store, { labels: { channel: 'web' } })).total,
        6,
        'those of another label',
      );
      for (const label of [
        user('u-3'),
        user('u'),
        { use: 'r=u-1' },
        { channel: 'u-1' },
        { User: 'u-1' },
      ]) {
        const none = await pageOf(store, { labels: label });
        expectEqual([none.ids, none.total], [[], 0], `the sessions with ${JSON.stringify(label)}`);
      }
      expectEqual(
        (await pageOf(store, { labels: user('u-1') }, 'globex')).total,
        0,
        'those of another tenant',
      );
      expectEqual((await pageOf(store, {})).total, 24, 'all sessions');
    },
  },
  {
    name: 'label: a walk by cursor meets each session with the label once, between two times too',
    run: async (store) => {
      const mine = await insertUsers(store);
      for (const limit of [1, 2, 3, 4, 5]) {
        const ids: string[] = [];
        let after: PageRange['cursor'];
        await repeatUntil('the last page', 10, async () => {
          const page = await pageOf(store, { labels: user('u-1'), limit, cursor: after });
          ids.push(...page.ids);
          after = page.nextCursor;
          return page.nextCursor === undefined;
        });
        expectEqual(ids, mine, `${limit} at a time`);
      }
      const times = {
        createdAfter: new Date(NOON).toISOString(),
        createdBefore: new Date(NOON + 4000).toISOString(),
      };
      const between = await pageOf(store, { labels: user('u-1'), ...times });
      expectEqual([between.ids, between.total], [['s06', 's03'], 2], 'those between two times');
    },
  },
  {
    name: 'label: changes and the end of a session leave it in the list, and a removal takes it out',
    run: async (store) => {
      const mine = await insertUsers(store);
      const same = { revision: 2, labels: { user: 'u-1', channel: 'web' } };
      await replace(
        store,
        keyOf('s03'),
        live('ACTIVE', { ...same, labels: { user: 'u-1', channel: 'phone' } }),
      );
      await replace(store, keyOf('s06'), ended('terminated', same));
      expectEqual(
        (await pageOf(store, { labels: user('u-1') })).ids,
        mine,
        'the list after changes',
      );
      await answerOf(store.remove(keyOf('s03')));
      const left = await pageOf(store, { labels: user('u-1') });
      expectEqual([left.ids, left.total], [['s09', 's06', 's00'], 3], 'the list after a removal');
    },
  },
  {
    name: 'label: a session that was removed and inserted again has its new labels alone',
    run: async (store) => {
      await insertLabelled(store, 'one', { user: 'u-1', channel: 'web' });
      await answerOf(store.remove(keyOf('one')));
      await insertLabelled(store, 'one', { user: 'u-2' });
      const totals = [user('u-1'), user('u-2'), { channel: 'web' }];
      for (const [at, label] of totals.entries()) {
        const { ids, total } = await pageOf(store, { labels: label });
        expectEqual(
          [ids, total],
          at === 1 ? [['one'], 1] : [[], 0],
          `the sessions with ${JSON.stringify(label)}`,
        );
      }
      await answerOf(store.remove(keyOf('one')));
      await insertActive(store, keyOf('one'));
      expectEqual(
        (await pageOf(store, { labels: user('u-2') })).total,
        0,
        'the sessions after one without labels',
      );
      expectEqual(
        (await answerOf(store.find(keyOf('one'))))?.state.labels,
        undefined,
        'its labels',
      );
    },
  },
  {
    name: 'label: of 50 sessions with one id and different labels, one is inserted and found by its label alone',
    run: async (store, second) => {
      const outcomes = await race(store, second, (each, writer) =>
        answerOf(
          each.insert(TENANT, headOf('one'), live('IDLE', { labels: { user: `u-${writer}` } })),
        ),
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'inserted').length,
        1,
        'insertions that inserted',
      );
      const winner = outcomes.indexOf('inserted');
      for (const writer of upTo(WRITERS)) {
        const { ids } = await pageOf(store, { labels: user(`u-${writer}`) });
        expectEqual(ids, writer === winner ? ['one'] : [], `the sessions of writer ${writer}`);
      }
    },
  },
];
