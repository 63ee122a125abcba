import type { ListCursor, SessionStore } from '../../store/session-store.js';
import { contentsOf, expectEqual } from '../answers.js';
import { begin, put, remove, beginAt, find } from '../commits.js';
import { atOf, expectSlices, expectWalks, idsOf, pageOf, walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
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

const orders = ['oldest', 'newest'] as const;

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
  'page: by the time of creation, then by id, each page a slice of the same list, in both orders':
    async (store) => {
      await addAll(store);
      await expectSlices(store, {}, inOrder('newest', cursors), 'all');
    },
  'page: holds complete sessions as find returns them, also by labels, and changes do not move one':
    async (store) => {
      const options = { context: 'algebra', timeLimit: 0.5 };
      const head = headOf('one', NOON, options);
      const one = await begin(store, keyOf('one'), { head, entries: [say('hello'), say('bye')] });
      const two = await beginAt(store, 'two', 1);
      const labels = { user: 'ann', topic: 'x' };
      const changes = { revision: 2, since: NOON + 9, activeMs: 9, labels };
      const state = ended('terminated', changes);
      await put(store, keyOf('one'), state);
      const { records } = await pageOf(store, {});
      expectEqual(records.map(contentsOf), [two, { ...one, state }], 'records');
      for (const historyLimit of [undefined, 0, 1]) {
        const found = await find(store, keyOf('one'), { historyLimit });
        const page = await pageOf(store, { labels, historyLimit });
        expectEqual(page, { records: [found], total: 1, unreadable: [] }, 'a search by labels');
      }
    },
  'page: a cursor continues after its place, even if no session is there': async (store) => {
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
    for (const createdAfter of timestamps) {
      for (const createdBefore of timestamps) {
        const between = cursors.filter(({ at }) => {
          const isAfter = createdAfter === undefined || at > createdAfter;
          return isAfter && (createdBefore === undefined || at < createdBefore);
        });
        for (const order of orders) {
          const range = { order, createdAfter, createdBefore, offset: 1, limit: 4 };
          const page = await pageOf(store, range);
          const what = `after ${createdAfter}, before ${createdBefore}, ${order}:`;
          const expected = inOrder(order, between).slice(1, 5);
          expectEqual([idsOf(page), page.total], [expected, between.length], what);
        }
      }
    }
  },
  'page: a walk by cursor meets each session once, whatever the size of its pages': async (
    store,
  ) => {
    await addAll(store);
    const bounds = { createdAfter: atOf(-NOON), createdBefore: atOf(3) };
    await expectWalks(store, {}, inOrder('newest', cursors), 'all');
    await expectWalks(store, bounds, inOrder('newest', cursors.slice(1, -1)), 'between');
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
