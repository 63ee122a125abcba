import type { SessionStatus } from '../../session/session-status.js';
import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, upTo } from '../samples.js';
import { idsAt, insertAll, listed, sessions, walked } from '../status-samples.js';
import { insert, repeatUntil, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { ListCursor } from '../todays-store.js';

const groups: readonly (readonly SessionStatus[])[] = [
  ['ACTIVE', 'PAUSED'],
  ['IDLE', 'TERMINATED'],
  ['IDLE', 'ACTIVE', 'PAUSED'],
  ['ACTIVE', 'PAUSED', 'TERMINATED'],
  ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'],
];

/** Before, between and after the deadlines. */
const times = [NOON, NOON + 101, NOON + 201, NOON + 299, NOON + 1_000_000];

/** Lists by several statuses. */
export const severalStatuses: readonly StoreCase[] = [
  {
    name: 'status: several statuses give the sessions that have one of them at the time, with their total',
    run: async (store) => {
      await insertAll(store);
      for (const now of times) {
        for (const anyOf of groups) {
          const ids = idsAt(anyOf, now);
          const page = await listed(store, { offset: 0, limit: 100, status: { anyOf, now } });
          expectEqual(
            page,
            { ids, total: ids.length, next: undefined },
            `${anyOf} at noon and ${now - NOON} ms`,
          );
          const few = await listed(store, {
            offset: 3,
            limit: 2,
            status: { anyOf: anyOf.toReversed(), now },
          });
          expectEqual(
            [few.ids, few.total],
            [ids.slice(3, 5), ids.length],
            `${anyOf} in another order, a page`,
          );
        }
      }
    },
  },
  {
    name: 'status: the list of several statuses has the same pages by offset and by cursor, in both orders',
    run: async (store) => {
      await insertAll(store);
      const [createdBefore, createdAfter] = [NOON - 3, NOON - 20].map((time) =>
        new Date(time).toISOString(),
      );
      const inner = sessions.filter(
        ({ createdMs }) => createdMs < NOON - 3 && createdMs > NOON - 20,
      );
      for (const anyOf of groups) {
        const status = { anyOf, now: NOON + 201 };
        const newest = idsAt(anyOf, status.now);
        for (const order of ['newest', 'oldest'] as const) {
          const ids = order === 'newest' ? newest : newest.toReversed();
          for (const offset of upTo(newest.length + 2)) {
            const page = await listed(store, { offset, limit: 3, order, status });
            const what = `${anyOf}, ${order} first, from ${offset} on:`;
            expectEqual(page.ids, ids.slice(offset, offset + 3), `${what} the ids`);
            expectEqual(
              page.next !== undefined,
              offset + 3 < ids.length,
              `${what} whether there is a next`,
            );
          }
          for (const limit of [1, 4]) {
            const found = await walked(store, { offset: 0, limit, order, status }, ids.length);
            expectEqual(found, ids, `${anyOf}, ${order} first, a walk by ${limit}`);
          }
        }
        const between = newest.filter((id) => inner.some((session) => session.id === id));
        const range = { offset: 0, limit: 2, status, createdBefore, createdAfter };
        expectEqual(
          await walked(store, range, between.length),
          between,
          `${anyOf}, between two times`,
        );
      }
    },
  },
  {
    name: 'status: a session that moves between the statuses of a list keeps its place in it',
    run: async (store) => {
      const ids = upTo(12).map((at) => `s${String(at).padStart(2, '0')}`);
      for (const [at, id] of ids.entries()) {
        await insert(store, keyOf(id), headOf(id, NOON + Math.floor(at / 3)));
        await replace(store, keyOf(id), live('ACTIVE', { revision: 2 }));
      }
      const status = { anyOf: ['ACTIVE', 'PAUSED'], now: NOON } as const;
      let revision = 2;
      for (const order of ['newest', 'oldest'] as const) {
        const found: string[] = [];
        let cursor: ListCursor | undefined;
        await repeatUntil('a page without next', 20, async () => {
          const page = await listed(store, { offset: 0, limit: 2, order, status, cursor });
          expectEqual(page.total, 12, 'the total');
          found.push(...page.ids);
          revision += 1;
          for (const [at, id] of ids.entries()) {
            await replace(
              store,
              keyOf(id),
              live((at + revision) % 2 === 0 ? 'ACTIVE' : 'PAUSED', { revision }),
            );
          }
          cursor = page.next;
          return cursor === undefined;
        });
        expectEqual(
          found,
          order === 'newest' ? ids.toReversed() : ids,
          `the sessions, ${order} first`,
        );
      }
      await replace(store, keyOf('s03'), ended('failed', { revision: revision + 1 }));
      const left = await listed(store, { offset: 0, limit: 1, status });
      expectEqual(left.total, 11, 'the total after the end of one');
    },
  },
];
