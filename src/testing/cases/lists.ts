import type { StateRecord } from '../../session/session-record.js';
import { type SessionStatus, sessionStatuses } from '../../session/session-status.js';
import { endsAt } from '../../session/time-limits.js';
import type { ListCursor, SessionStore } from '../../store/session-store.js';
import { contentsOf, expectEqual } from '../answers.js';
import {
  begin,
  beginAt,
  due,
  FAR,
  find,
  key,
  put,
  remove,
  stateOf,
  theirs,
  tryPut,
} from '../commits.js';
import {
  between,
  expectList,
  expectWalks,
  idsOf,
  listed,
  orders,
  pageOf,
  walk,
} from '../page-steps.js';
import { ended, endingAfter, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

/**
 * Oldest first: several in the same millisecond, one alone, and the first and the last possible
 * time.
 */
const ordered: readonly (readonly [id: string, createdMs: number])[] = [
  ['epoch', 0],
  ['first', 5],
  ...['-', '.', '10', '9', 'A', 'Z', '_', 'a', 'aa', 'z', '~'].map((id) => [id, NOON] as const),
  ['single', NOON + 1],
  ...['A2', 'Z2', '_2', 'a2', 'a2-', 'ab'].map((id) => [id, NOON + 2] as const),
  ['last', 253_402_300_799_999],
];

const cursorOf = (id: string, createdMs: number): ListCursor => ({
  id,
  at: new Date(createdMs).toISOString(),
});

const cursors = ordered.map(([id, createdMs]) => cursorOf(id, createdMs));

/** Adds the sessions in an order that differs from the expected one. */
const addAll = async (store: SessionStore, tenant = TENANT): Promise<void> => {
  for (const index of upTo(ordered.length)) {
    const [id, createdMs] = ordered[(index * 5 + 2) % ordered.length] ?? ['', 0];
    const state = live('IDLE', { since: createdMs });
    await begin(store, keyOf(id, tenant), { head: headOf(id, createdMs), state });
  }
};

const inOrder = (order: 'newest' | 'oldest', found: readonly ListCursor[]): readonly string[] => {
  const ids = found.map(({ id }) => id);
  return order === 'oldest' ? ids : ids.toReversed();
};

export const pages: Cases = {
  'page: sorts by creation time, then by id, in both orders, by offset and by cursor': async (
    store,
  ) => {
    await addAll(store);
    await expectList(store, {}, inOrder('newest', cursors), 'all');
    const bounds = between(-NOON, 3);
    await expectWalks(store, bounds, inOrder('newest', cursors.slice(1, -1)), 'between');
  },
  'page: returns sessions as find does, and changes do not move them': async (store) => {
    const options = { context: 'algebra', timeLimit: 0.5 };
    const head = headOf('one', NOON, options);
    const one = await begin(store, key, { head, entries: [say('hello'), say('bye')] });
    const two = await beginAt(store, 'two', 1);
    const labels = { user: 'ann', topic: 'x' };
    const changes = { revision: 2, since: NOON + 9, activeMs: 9, labels };
    const state = ended('terminated', changes);
    await put(store, keyOf('one'), state);
    const { records } = await pageOf(store, {});
    expectEqual(records.map(contentsOf), [two, { ...one, state }], 'records');
    for (const historyLimit of [undefined, 0, 1]) {
      const found = await find(store, key, { historyLimit });
      const page = await pageOf(store, { labels, historyLimit });
      expectEqual(page, { records: [found], total: 1, unreadable: [] }, 'a search by labels');
    }
  },
  'page: a cursor continues after its place, even without a session there': async (store) => {
    await addAll(store);
    const others = [
      cursorOf('aaa', NOON),
      cursorOf('e', NOON),
      cursorOf('0', NOON + 2),
      cursorOf('zz', NOON + 1),
    ];
    for (const cursor of [...cursors, ...others]) {
      const isAfter = ({ id, at }: ListCursor): boolean =>
        at === cursor.at ? id > cursor.id : at > cursor.at;
      const isBefore = (each: ListCursor): boolean => !isAfter(each) && each.id !== cursor.id;
      for (const order of orders) {
        const page = await pageOf(store, { order, cursor });
        const expected = inOrder(order, cursors.filter(order === 'oldest' ? isAfter : isBefore));
        const what = `${order} after ${cursor.id}:`;
        expectEqual([idsOf(page), page.total], [expected, ordered.length], what);
        const further = await pageOf(store, { order, cursor, offset: 2, limit: 2 });
        expectEqual(idsOf(further), expected.slice(2, 4), `${what} further on`);
      }
    }
  },
  'page: createdAfter and createdBefore exclude their own milliseconds': async (store) => {
    await addAll(store);
    const times = [-1, 0, 5, NOON - 1, NOON, NOON + 1, NOON + 2, NOON + 3, 253_402_300_799_999];
    const timestamps = [undefined, ...times.map((ms) => new Date(ms).toISOString())];
    for (const createdAfter of timestamps)
      for (const createdBefore of timestamps) {
        const found = cursors.filter(
          ({ at }) => at > (createdAfter ?? '') && at < (createdBefore ?? '~'),
        );
        for (const order of orders) {
          const range = { order, createdAfter, createdBefore, offset: 1, limit: 4 };
          const page = await pageOf(store, range);
          const expected = [inOrder(order, found).slice(1, 5), found.length];
          expectEqual([idsOf(page), page.total], expected, JSON.stringify(range));
        }
      }
  },
  'page: a walk by cursor neither skips nor repeats a session while others come and go': async (
    store,
  ) => {
    for (const order of orders) {
      const tenant = `${TENANT}-${order}`;
      await addAll(store, tenant);
      const staying = new Set(ordered.map(([id]) => id));
      let made = 0;
      // Removes the session of the cursor, and adds some on both sides of it.
      const change = async ({ id, at }: ListCursor, met: readonly string[]) => {
        await remove(store, keyOf(id, tenant));
        if (!met.includes(id)) staying.delete(id);
        for (const createdMs of made < 6 ? [NOON - 1, Date.parse(at), NOON + 5] : []) {
          made += 1;
          const head = headOf(`new${made}`, createdMs);
          await begin(store, keyOf(head.id, tenant), { head });
        }
      };
      const met = await walk(store, { order, limit: 3 }, change, tenant);
      expectEqual(new Set(met).size, met.length, `${order}: the number of different sessions`);
      const known = met.filter((id) => ordered.some(([name]) => name === id));
      const expected = inOrder(order, cursors).filter((id) => staying.has(id));
      expectEqual(known, expected, `${order}: the sessions of the walk`);
    }
  },
};

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
  live('ACTIVE', { revision: 2, terms: endingAfter(250 + at) }),
]);

const sessions = states.map((state, at) => ({
  id: `s${(at * 7) % states.length}`,
  createdMs: NOON - at,
  state,
}));

const addStates = async (store: SessionStore): Promise<void> => {
  for (const { id, createdMs, state } of sessions) {
    await begin(store, keyOf(id), { head: headOf(id, createdMs), state: live('IDLE') });
    await put(store, keyOf(id), state);
  }
};

/** The ids of the sessions that have one of some statuses at a time, newest first. */
const idsAt = (anyOf: readonly SessionStatus[], now: number): readonly string[] =>
  sessions
    .filter(({ state }) => anyOf.includes(now >= endsAt(state) ? 'TERMINATED' : state.status))
    .map(({ id }) => id);

const groups: readonly (readonly SessionStatus[])[] = [
  ...sessionStatuses.map((status) => [status]),
  ['PAUSED', 'ACTIVE'],
  ['IDLE', 'TERMINATED'],
  ['IDLE', 'ACTIVE', 'PAUSED'],
  sessionStatuses,
];

/** Before, at and after each kind of deadline. */
const times = [0, 99, 100, 102, 150, 200, 201, 203, 249, 250, 252, 298, 299, 300, 301, 1_000_000];

const everywhere = async (store: SessionStore): Promise<readonly (readonly string[])[]> => {
  const found: (readonly string[])[] = [];
  for (const status of sessionStatuses)
    found.push(idsOf(await pageOf(store, { status: { anyOf: [status], now: NOON } })));
  return found;
};

export const statuses: Cases = {
  'status: a session is listed by its current status': async (store) => {
    const key = keyOf('one');
    const steps: readonly (readonly [SessionStatus | undefined, () => Promise<unknown>])[] = [
      ['IDLE', () => begin(store, key, { state: live('IDLE') })],
      ['IDLE', () => tryPut(store, key, live('ACTIVE', { revision: 7 }))],
      ['ACTIVE', () => put(store, key, live('ACTIVE'))],
      ['PAUSED', () => put(store, key, live('PAUSED'))],
      ['TERMINATED', () => put(store, key, ended('failed'))],
      [undefined, () => remove(store, key)],
      ['PAUSED', () => begin(store, key, { state: live('PAUSED') })],
    ];
    await begin(store, theirs);
    for (const [at, [status, step]] of steps.entries()) {
      await step();
      const expected = sessionStatuses.map((each) => (each === status ? ['one'] : []));
      expectEqual(await everywhere(store), expected, `the lists after step ${at + 1}`);
    }
  },
  'status: a session is TERMINATED exactly from its expiry on, even for a slow clock': async (
    store,
  ) => {
    await addStates(store);
    const before = await due(store, FAR);
    for (const ms of [...times, ...times.toReversed()]) {
      for (const anyOf of groups) {
        const now = NOON + ms;
        const ids = idsAt(anyOf, now);
        const page = await listed(store, { status: { anyOf, now } });
        const expected = { ids, total: ids.length, next: undefined };
        expectEqual(page, expected, `${anyOf} at noon and ${ms} ms`);
      }
    }
    for (const { id, state } of sessions)
      expectEqual(await stateOf(store, keyOf(id)), state, `${id} after the lists`);
    expectEqual(await due(store, FAR), before, 'due after the lists');
  },
  'status: lists are the same by offset and by cursor, in both orders': async (store) => {
    await addStates(store);
    const inner = new Set(sessions.slice(4, 20).map(({ id }) => id));
    for (const now of [NOON + 101, NOON + 201, NOON + 299])
      for (const anyOf of groups) {
        const [status, ids] = [{ anyOf, now }, idsAt(anyOf, now)];
        const expectAll = now === NOON + 201 ? expectList : expectWalks;
        await expectAll(store, { status }, ids, `${anyOf}`);
        if (now !== NOON + 201) continue;
        const some = ids.filter((id) => inner.has(id));
        await expectWalks(
          store,
          { status, ...between(-20, -3) },
          some,
          `${anyOf}, between two times`,
        );
      }
  },
  'status: a session that moves between the statuses of a list keeps its place': async (store) => {
    const ids = upTo(12).map((at) => `s${String(at).padStart(2, '0')}`);
    for (const [at, id] of ids.entries())
      await begin(store, keyOf(id), { head: headOf(id, NOON + Math.floor(at / 3)) });
    const status = { anyOf: ['ACTIVE', 'PAUSED'], now: NOON } as const;
    let revision = 1;
    const moveAll = async () => {
      revision += 1;
      for (const [at, id] of ids.entries()) {
        const next = (at + revision) % 2 === 0 ? 'ACTIVE' : 'PAUSED';
        await put(store, keyOf(id), live(next, { revision }));
      }
    };
    for (const order of orders) {
      const found = await walk(store, { limit: 2, order, status }, moveAll);
      const expected = order === 'newest' ? ids.toReversed() : ids;
      expectEqual(found, expected, `the sessions, ${order} first`);
    }
    await put(store, keyOf('s03'), ended('failed'));
    expectEqual((await listed(store, { limit: 1, status })).total, 11, 'the total after an end');
  },
  'status: each session is listed once after racing changes': async (store, second) => {
    const ids = upTo(20).map((at) => `s${at}`);
    for (const id of ids) await begin(store, keyOf(id));
    const next = [live('PAUSED', { revision: 2 }), ended('failed', { revision: 2 })] as const;
    await Promise.all(
      ids.flatMap((id) => [tryPut(store, keyOf(id), next[0]), tryPut(second, keyOf(id), next[1])]),
    );
    const found = (await everywhere(store)).flat();
    expectEqual(found.toSorted(), ids.toSorted(), 'the ids of all lists together');
  },
};
