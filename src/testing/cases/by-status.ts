import { type SessionStatus, sessionStatuses } from '../../session/session-status.js';
import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, insert, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { PageRange, TodaysStore } from '../todays-store.js';

const listed = async (store: TodaysStore, status: SessionStatus, more: Partial<PageRange> = {}) => {
  const page = await answerOf(
    store.list(TENANT, { offset: 0, limit: 100, status: { anyOf: [status], now: NOON }, ...more }),
  );
  return { ids: page.records.map(({ head }) => head.id), total: page.total, next: page.nextCursor };
};

const everywhere = async (
  store: TodaysStore,
): Promise<Readonly<Record<string, readonly string[]>>> => {
  const found: Record<string, readonly string[]> = {};
  for (const status of sessionStatuses) found[status] = (await listed(store, status)).ids;
  return found;
};

const none = { IDLE: [], ACTIVE: [], PAUSED: [], TERMINATED: [] };

/** The cases of lists by status. */
export const byStatus: readonly StoreCase[] = [
  {
    name: 'status: a session is listed by its present status',
    run: async (store) => {
      expectEqual(await everywhere(store), none, 'an empty store');
      const key = keyOf('one');
      await insert(store, key);
      expectEqual(await everywhere(store), { ...none, IDLE: ['one'] }, 'created');
      await replace(store, key, live('ACTIVE', { revision: 2 }));
      expectEqual(await everywhere(store), { ...none, ACTIVE: ['one'] }, 'started');
      await replace(store, key, live('PAUSED', { revision: 3 }));
      expectEqual(await everywhere(store), { ...none, PAUSED: ['one'] }, 'paused');
      await replace(store, key, live('ACTIVE', { revision: 4 }));
      await replace(store, key, ended('failed', { revision: 5 }));
      expectEqual(await everywhere(store), { ...none, TERMINATED: ['one'] }, 'ended');
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      expectEqual(await everywhere(store), none, 'removed');
      await insert(store, key);
      expectEqual(await everywhere(store), { ...none, IDLE: ['one'] }, 'created again');
    },
  },
  {
    name: 'status: pages, totals, cursors, ranges and orders count only sessions of the status',
    run: async (store) => {
      for (const at of upTo(12)) {
        await insert(store, keyOf(`s${at}`), headOf(`s${at}`, NOON + at));
        if (at % 3 !== 0) await replace(store, keyOf(`s${at}`), live('ACTIVE', { revision: 2 }));
      }
      const active = ['s11', 's10', 's8', 's7', 's5', 's4', 's2', 's1'];
      expectEqual(await listed(store, 'ACTIVE'), { ids: active, total: 8, next: undefined }, 'all');
      expectEqual(
        (await listed(store, 'ACTIVE', { order: 'oldest' })).ids,
        active.toReversed(),
        'the oldest first',
      );
      const first = await listed(store, 'ACTIVE', { limit: 3 });
      expectEqual([first.ids, first.total], [active.slice(0, 3), 8], 'a page');
      await replace(store, keyOf('s11'), ended('failed', { revision: 3 }));
      await replace(store, keyOf('s8'), ended('failed', { revision: 3 }));
      const second = await listed(store, 'ACTIVE', { limit: 3, cursor: first.next });
      expectEqual(
        [second.ids, second.total],
        [active.slice(3, 6), 6],
        'the page after it, while others change',
      );
      const createdAfter = new Date(NOON + 4).toISOString();
      expectEqual(
        (await listed(store, 'ACTIVE', { createdAfter })).ids,
        ['s10', 's7', 's5'],
        'a range',
      );
      expectEqual(
        (await listed(store, 'IDLE', { offset: 1, limit: 2 })).ids,
        ['s6', 's3'],
        'an offset',
      );
      expectEqual((await listed(store, 'TERMINATED')).ids, ['s11', 's8'], 'those that have ended');
    },
  },
  {
    name: 'status: a refused change moves no session, and tenants have lists of their own',
    run: async (store) => {
      await insert(store, keyOf('one'));
      await insert(store, keyOf('one', 'globex'));
      await answerOf(replacing(store, keyOf('one'), live('ACTIVE', { revision: 7 })));
      await replace(store, keyOf('one', 'globex'), live('ACTIVE', { revision: 2 }));
      expectEqual(await everywhere(store), { ...none, IDLE: ['one'] }, 'the lists');
    },
  },
  {
    name: 'status: each session is listed once after changes that race',
    run: async (store, second) => {
      const ids = upTo(20).map((at) => `s${at}`);
      for (const id of ids) await insert(store, keyOf(id));
      const changes = ids.flatMap((id) => [
        replacing(store, keyOf(id), live('ACTIVE', { revision: 2 })),
        replacing(second, keyOf(id), ended('failed', { revision: 2 })),
      ]);
      await Promise.all(changes.map((change) => answerOf(change)));
      const found = Object.values(await everywhere(store)).flat();
      expectEqual(found.toSorted(), ids.toSorted(), 'the ids of all lists together');
    },
  },
];
