import type { ListCursor, SessionStore } from '../../store/session-store.js';
import { contentsOf } from '../answers.js';
import { begin, put, raceOf, remove } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { atOf, idsOf, pageOf, walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

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

const none = { records: [], unreadable: [] };

export const pages: readonly PortCase[] = [
  {
    name: 'page: by the time of creation, then by id, each page a slice of the same list, in both orders',
    run: async (store) => {
      await addAll(store);
      const { length } = ordered;
      for (const order of [undefined, ...orders]) {
        const expected = order === 'oldest' ? cursors : cursors.toReversed();
        for (const offset of [0, 1, 2, length - 1, length, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
          for (const limit of [0, 1, 4, length - 1, length, 100]) {
            const page = await pageOf(store, { order, offset, limit });
            const what = `${order}, offset ${offset}, limit ${limit}:`;
            const slice = expected.slice(offset, offset + limit);
            expectEqual(
              idsOf(page),
              slice.map(({ id }) => id),
              `${what} the ids`,
            );
            expectEqual([page.total, page.unreadable], [length, []], `${what} the rest`);
            const next = offset + limit < length ? slice.at(-1) : undefined;
            if (limit > 0) expectEqual(page.nextCursor, next, `${what} nextCursor`);
          }
        }
      }
    },
  },
  {
    name: 'page: holds complete sessions as they are stored, and changes of a session do not move it',
    run: async (store) => {
      const options = { context: 'algebra', timeLimit: 0.5 };
      const head = headOf('one', NOON, options);
      const one = await begin(store, keyOf('one'), { head, entries: [say('hello'), say('bye')] });
      const two = await begin(store, keyOf('two'), { head: headOf('two', NOON + 1) });
      const state = ended('terminated', { revision: 2, since: NOON + 9, activeMs: 9 });
      await put(store, keyOf('one'), state);
      const { records } = await pageOf(store, {});
      expectEqual(records.map(contentsOf), [two, { ...one, state }], 'records');
    },
  },
  {
    name: 'page: a cursor continues after its place, even if no session is there',
    run: async (store) => {
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
  },
  {
    name: 'page: createdAfter and createdBefore exclude their own milliseconds',
    run: async (store) => {
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
  },
  {
    name: 'page: a walk by cursor meets each session once, whatever the size of its pages',
    run: async (store) => {
      await addAll(store);
      const bounds = { createdAfter: atOf(-NOON), createdBefore: atOf(3) };
      for (const order of orders) {
        for (const limit of [1, 2, 3, 5, ordered.length - 1, ordered.length, ordered.length + 1]) {
          const what = `${order} by ${limit}`;
          expectEqual(await walk(store, { order, limit }), inOrder(order, cursors), what);
          const inner = inOrder(order, cursors.slice(1, -1));
          expectEqual(await walk(store, { order, limit, ...bounds }), inner, `${what}, between`);
        }
      }
    },
  },
  {
    name: 'page: a walk by cursor neither skips nor repeats a session while others come and go',
    run: async (store) => {
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
  },
  {
    name: 'page: a walk by cursor passes many sessions of the same millisecond',
    run: async (store, second) => {
      const names = upTo(50).map((index) => `s${String(index).padStart(2, '0')}`);
      await raceOf([store, second], (each, writer) => begin(each, keyOf(names[writer] ?? '')));
      expectEqual(await walk(store, { order: 'oldest', limit: 12 }), names, 'upwards');
      const gone = ({ id }: ListCursor) => remove(store, keyOf(id));
      expectEqual(await walk(store, { limit: 12 }, gone), names.toReversed(), 'downwards');
    },
  },
  {
    name: "page: contains no other tenant's sessions, whatever the range",
    run: async (store) => {
      await addAll(store, 'globex');
      await begin(store, keyOf('ours'));
      for (const order of orders) {
        for (const cursor of [undefined, cursors[0], cursors.at(-1)]) {
          const { records, total } = await pageOf(store, { order, cursor });
          const others = records.filter(({ head }) => head.id !== 'ours');
          expectEqual([others, total], [[], 1], `${order} after ${cursor?.id}`);
        }
      }
      for (const offset of [0, 1, Number.MAX_SAFE_INTEGER]) {
        const page = await pageOf(store, { offset }, 'nobody');
        expectEqual(page, { ...none, total: 0 }, 'the page of a tenant without sessions');
      }
    },
  },
];
