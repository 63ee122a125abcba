import { sessionStatuses } from '../../session/session-status.js';
import { expectEqual } from '../expect-equal.js';
import { keyOf, NOON, upTo } from '../samples.js';
import { idsAt, insertAll, listed, sessions, walked } from '../status-samples.js';
import { answerOf, dueOf } from '../steps.js';
import type { StoreCase } from '../store-case.js';

/** Before, at and after each kind of deadline. */
const times = [
  NOON,
  99,
  100,
  101,
  102,
  150,
  199,
  200,
  201,
  203,
  297,
  298,
  299,
  300,
  301,
  1_000_000,
].map((time) => (time === NOON ? time : NOON + time));

/** Lists by status when deadlines have passed but the ends are not stored yet. */
export const statusTimes: readonly StoreCase[] = [
  {
    name: 'status: a session whose deadline has passed is TERMINATED at that time, and only then',
    run: async (store) => {
      await insertAll(store);
      for (const now of times) {
        for (const status of sessionStatuses) {
          const ids = idsAt([status], now);
          const page = await listed(store, {
            offset: 0,
            limit: 100,
            status: { anyOf: [status], now },
          });
          expectEqual(
            page,
            { ids, total: ids.length, next: undefined },
            `${status} at noon and ${now - NOON} ms`,
          );
        }
      }
    },
  },
  {
    name: 'status: at a time, each page by offset is a slice of the same list, in both orders',
    run: async (store) => {
      await insertAll(store);
      for (const [status, now] of [
        ['TERMINATED', NOON + 201],
        ['TERMINATED', NOON + 300],
        ['IDLE', NOON + 101],
        ['PAUSED', NOON + 299],
      ] as const) {
        const newest = idsAt([status], now);
        for (const [order, ids] of [
          ['newest', newest],
          ['oldest', newest.toReversed()],
        ] as const) {
          for (const offset of upTo(newest.length + 2)) {
            for (const limit of [1, 2, 5]) {
              const page = await listed(store, {
                offset,
                limit,
                order,
                status: { anyOf: [status], now },
              });
              const what = `${status} at noon and ${now - NOON} ms, ${order} first, from ${offset} on:`;
              expectEqual(page.ids, ids.slice(offset, offset + limit), `${what} the ids`);
              expectEqual(page.total, ids.length, `${what} total`);
              expectEqual(
                page.next !== undefined,
                offset + limit < ids.length,
                `${what} whether there is a next`,
              );
            }
          }
        }
      }
    },
  },
  {
    name: 'status: at a time, a walk by cursor meets each session once, in both orders and between two times',
    run: async (store) => {
      await insertAll(store);
      for (const now of [NOON + 101, NOON + 201, NOON + 299]) {
        for (const status of sessionStatuses) {
          const newest = idsAt([status], now);
          const at = { anyOf: [status], now };
          for (const limit of [1, 2, 3, 7]) {
            const found = await walked(store, { offset: 0, limit, status: at }, newest.length);
            expectEqual(found, newest, `${status}, newest first, ${limit} at a time`);
            const oldest = await walked(
              store,
              { offset: 0, limit, status: at, order: 'oldest' },
              newest.length,
            );
            expectEqual(oldest, newest.toReversed(), `${status}, oldest first, ${limit} at a time`);
          }
          const [createdBefore, createdAfter] = [NOON - 3, NOON - 20].map((time) =>
            new Date(time).toISOString(),
          );
          const between = newest.filter((id) => {
            const { createdMs = 0 } = sessions.find((session) => session.id === id) ?? {};
            return createdMs < NOON - 3 && createdMs > NOON - 20;
          });
          const range = { offset: 0, limit: 2, status: at, createdBefore, createdAfter };
          expectEqual(
            await walked(store, range, between.length),
            between,
            `${status}, between two times`,
          );
        }
      }
    },
  },
  {
    name: 'status: a list by status writes nothing, so that a caller whose clock is behind gets the same list as before',
    run: async (store) => {
      await insertAll(store);
      const due = await dueOf(store, NOON + 1000, 100);
      const late = NOON + 1_000_000;
      const early = NOON + 99;
      for (const now of [late, early, late, early]) {
        for (const status of sessionStatuses) {
          const page = await listed(store, {
            offset: 0,
            limit: 100,
            status: { anyOf: [status], now },
          });
          expectEqual(page.ids, idsAt([status], now), `${status} at noon and ${now - NOON} ms`);
        }
      }
      for (const { id, state } of sessions)
        expectEqual(await answerOf(store.findState(keyOf(id))), state, id);
      expectEqual(await dueOf(store, NOON + 1000, 100), due, 'due');
    },
  },
];
