import type { StateRecord } from '../../session/session-record.js';
import { type SessionStatus, sessionStatuses } from '../../session/session-status.js';
import type { PageRange, SessionStore } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, dueOf, insert, repeatUntil, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

/** Every status, with and without a deadline; three sessions of each. */
const states: readonly StateRecord[] = upTo(3).flatMap((at) => [
  live('IDLE', { revision: 2, deadline: NOON + 100 + at }),
  live('IDLE', { revision: 2 }),
  live('ACTIVE', { revision: 2, limitMs: 200 + at, deadline: NOON + 200 + at }),
  live('ACTIVE', { revision: 2 }),
  live('PAUSED', { revision: 2, deadline: NOON + 300 - at }),
  live('PAUSED', { revision: 2, limitMs: 1000 }),
  ended('failed', { revision: 2, deadline: NOON + 150 }),
  ended('terminated', { revision: 2 }),
]);

const sessions = states.map((state, at) => ({ id: `s${(at * 7) % states.length}`, createdMs: NOON - at, state }));

/** Before, at and after each kind of deadline. */
const times = [NOON, 99, 100, 101, 102, 150, 199, 200, 201, 203, 297, 298, 299, 300, 301, 1_000_000].map((time) =>
  time === NOON ? time : NOON + time,
);

const insertAll = async (store: SessionStore): Promise<void> => {
  for (const { id, createdMs, state } of sessions) {
    await insert(store, keyOf(id), headOf(id, createdMs));
    await replace(store, keyOf(id), state);
  }
};

/** The ids of the sessions that have a status at a time, newest first. */
const idsAt = (status: SessionStatus, now: number): readonly string[] =>
  sessions.filter(({ state }) => (now >= state.deadline ? 'TERMINATED' : state.status) === status).map(({ id }) => id);

const listed = async (store: SessionStore, range: PageRange) => {
  const page = await answerOf(store.list(TENANT, range));
  return { ids: page.records.map(({ head }) => head.id), total: page.total, next: page.nextCursor };
};

/** All pages of a range, read one after another by their cursors. */
const walked = async (store: SessionStore, range: PageRange, total: number): Promise<readonly string[]> => {
  const ids: string[] = [];
  let { cursor: after } = range;
  await repeatUntil('a page without next', sessions.length + 1, async () => {
    const page = await listed(store, { ...range, cursor: after });
    expectThat(page.ids.length <= range.limit, `a page has at most ${range.limit} sessions`);
    expectEqual(page.total, total, 'the total of a page after a cursor');
    ids.push(...page.ids);
    after = page.next;
    return after === undefined;
  });
  return ids;
};

/** Lists by status when deadlines have passed but the ends are not stored yet. */
export const statusTimes: readonly StoreCase[] = [
  {
    name: 'status: a session whose deadline has passed is TERMINATED at that time, and only then',
    run: async (store) => {
      await insertAll(store);
      for (const now of times) {
        for (const status of sessionStatuses) {
          const ids = idsAt(status, now);
          const page = await listed(store, { offset: 0, limit: 100, status: { status, now } });
          expectEqual(page, { ids, total: ids.length, next: undefined }, `${status} at noon and ${now - NOON} ms`);
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
        const newest = idsAt(status, now);
        for (const [order, ids] of [
          ['newest', newest],
          ['oldest', newest.toReversed()],
        ] as const) {
          for (const offset of upTo(newest.length + 2)) {
            for (const limit of [1, 2, 5]) {
              const page = await listed(store, { offset, limit, order, status: { status, now } });
              const what = `${status} at noon and ${now - NOON} ms, ${order} first, from ${offset} on:`;
              expectEqual(page.ids, ids.slice(offset, offset + limit), `${what} the ids`);
              expectEqual(page.total, ids.length, `${what} total`);
              expectEqual(page.next !== undefined, offset + limit < ids.length, `${what} whether there is a next`);
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
          const newest = idsAt(status, now);
          const at = { status, now };
          for (const limit of [1, 2, 3, 7]) {
            const found = await walked(store, { offset: 0, limit, status: at }, newest.length);
            expectEqual(found, newest, `${status}, newest first, ${limit} at a time`);
            const oldest = await walked(store, { offset: 0, limit, status: at, order: 'oldest' }, newest.length);
            expectEqual(oldest, newest.toReversed(), `${status}, oldest first, ${limit} at a time`);
          }
          const [createdBefore, createdAfter] = [NOON - 3, NOON - 20].map((time) => new Date(time).toISOString());
          const between = newest.filter((id) => {
            const { createdMs = 0 } = sessions.find((session) => session.id === id) ?? {};
            return createdMs < NOON - 3 && createdMs > NOON - 20;
          });
          const range = { offset: 0, limit: 2, status: at, createdBefore, createdAfter };
          expectEqual(await walked(store, range, between.length), between, `${status}, between two times`);
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
          const page = await listed(store, { offset: 0, limit: 100, status: { status, now } });
          expectEqual(page.ids, idsAt(status, now), `${status} at noon and ${now - NOON} ms`);
        }
      }
      for (const { id, state } of sessions) expectEqual(await answerOf(store.findState(keyOf(id))), state, id);
      expectEqual(await dueOf(store, NOON + 1000, 100), due, 'due');
    },
  },
];
