import { expectEqual } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, insert, repeatUntil } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { ListCursor, PageRange, RecordPage, TodaysStore } from '../todays-store.js';

/**
 * Oldest first: several in the same millisecond, one alone, and the first and the last possible
 * time.
 */
const ordered: readonly (readonly [id: string, createdMs: number])[] = [
  ['epoch', 0],
  ['a', NOON],
  ['b', NOON],
  ['c', NOON],
  ['d', NOON],
  ['single', NOON + 1],
  ['A', NOON + 2],
  ['Z', NOON + 2],
  ['_', NOON + 2],
  ['aa', NOON + 2],
  ['ab', NOON + 2],
  ['b-', NOON + 2],
  ['last', 253_402_300_799_999],
];

const positionOf = (id: string, createdMs: number): ListCursor => ({
  id,
  at: new Date(createdMs).toISOString(),
});

const positions = ordered.map(([id, createdMs]) => positionOf(id, createdMs));

const orders = ['oldest', 'newest'] as const;

const insertAll = async (store: TodaysStore, tenant = TENANT): Promise<void> => {
  for (const index of upTo(ordered.length)) {
    const [id, createdMs] = ordered[(index * 5 + 2) % ordered.length] ?? ['', 0];
    await insert(
      store,
      keyOf(id, tenant),
      headOf(id, createdMs),
      live('IDLE', { since: createdMs }),
    );
  }
};

const pageOf = (
  store: TodaysStore,
  range: Partial<PageRange>,
  tenant = TENANT,
): Promise<RecordPage> => answerOf(store.list(tenant, { offset: 0, limit: 100, ...range }));

const idsOf = ({ records }: RecordPage): readonly string[] => records.map(({ head }) => head.id);

/** More pages than any list in these cases has. */
const MAXIMUM_PAGES = 100;

/** The ids on pages that follow one another by cursor. `between` runs before each further page. */
const walk = async (
  store: TodaysStore,
  range: Partial<PageRange>,
  between: (met: readonly string[], next: ListCursor) => Promise<unknown> = async () => undefined,
  tenant = TENANT,
): Promise<readonly string[]> => {
  const met: string[] = [];
  let { cursor: after } = range;
  await repeatUntil('a page without next', MAXIMUM_PAGES, async () => {
    const page = await pageOf(store, { ...range, cursor: after }, tenant);
    met.push(...idsOf(page));
    if (page.nextCursor === undefined) return true;
    await between(met, page.nextCursor);
    after = page.nextCursor;
    return false;
  });
  return met;
};

const inOrder = (order: 'newest' | 'oldest', found: readonly ListCursor[]): readonly string[] => {
  const ids = found.map(({ id }) => id);
  return order === 'oldest' ? ids : ids.toReversed();
};

export const ranges: readonly StoreCase[] = [
  {
    name: 'range: each order is the other one reversed, on every page',
    run: async (store) => {
      await insertAll(store);
      for (const order of orders) {
        const expected = inOrder(order, positions);
        for (const offset of [
          0,
          1,
          2,
          ordered.length - 1,
          ordered.length,
          1000,
          Number.MAX_SAFE_INTEGER,
        ]) {
          for (const limit of [0, 1, 3, ordered.length - 1, ordered.length, 100]) {
            const page = await pageOf(store, { order, offset, limit });
            const what = `${order}, offset ${offset}, limit ${limit}:`;
            expectEqual(idsOf(page), expected.slice(offset, offset + limit), `${what} the ids`);
            expectEqual([page.total, page.unreadable], [ordered.length, []], `${what} the rest`);
          }
        }
      }
    },
  },
  {
    name: 'range: next is the position of the last session on a page, if there are more after it',
    run: async (store) => {
      await insertAll(store);
      for (const order of [undefined, ...orders]) {
        const expected = order === 'oldest' ? positions : positions.toReversed();
        for (const limit of [1, 4, ordered.length - 1, ordered.length, ordered.length + 1]) {
          const { nextCursor: next } = await pageOf(store, { order, limit });
          const last = limit < ordered.length ? expected[limit - 1] : undefined;
          expectEqual(next, last, `${order}, limit ${limit}: next`);
        }
        const { nextCursor: next } = await pageOf(store, {
          order,
          limit: 3,
          offset: ordered.length - 3,
        });
        expectEqual(next, undefined, `${order}, the last three: next`);
      }
    },
  },
  {
    name: 'range: after gives the sessions after a position, even if no session is at that position',
    run: async (store) => {
      await insertAll(store);
      const others = [
        positionOf('aaa', NOON),
        positionOf('e', NOON),
        positionOf('0', NOON + 2),
        positionOf('zz', NOON + 1),
      ];
      for (const after of [...positions, ...others]) {
        const isAfter = ({ id, at }: ListCursor): boolean =>
          at === after.at ? id > after.id : at > after.at;
        const isBefore = (position: ListCursor): boolean =>
          !isAfter(position) && position.id !== after.id;
        const what = `after ${after.id}:`;
        const up = await pageOf(store, { order: 'oldest', cursor: after });
        expectEqual(
          idsOf(up),
          inOrder('oldest', positions.filter(isAfter)),
          `${what} oldest first`,
        );
        const down = await pageOf(store, { cursor: after });
        expectEqual(
          idsOf(down),
          inOrder('newest', positions.filter(isBefore)),
          `${what} newest first`,
        );
        expectEqual([up.total, down.total], [ordered.length, ordered.length], `${what} the totals`);
        const further = await pageOf(store, {
          order: 'oldest',
          cursor: after,
          offset: 2,
          limit: 2,
        });
        expectEqual(idsOf(further), idsOf(up).slice(2, 4), `${what} further on`);
      }
    },
  },
  {
    name: 'range: createdAfter and createdBefore exclude their own milliseconds',
    run: async (store) => {
      await insertAll(store);
      const times = [
        undefined,
        -1,
        0,
        1,
        NOON - 1,
        NOON,
        NOON + 1,
        NOON + 2,
        NOON + 3,
        253_402_300_799_999,
      ];
      const timestamps = times.map((ms) =>
        ms === undefined ? undefined : new Date(ms).toISOString(),
      );
      for (const createdAfter of timestamps) {
        for (const createdBefore of timestamps) {
          const between = positions.filter(
            ({ at }) =>
              (createdAfter === undefined || at > createdAfter) &&
              (createdBefore === undefined || at < createdBefore),
          );
          for (const order of orders) {
            const page = await pageOf(store, {
              order,
              createdAfter,
              createdBefore,
              offset: 1,
              limit: 4,
            });
            const what = `after ${createdAfter}, before ${createdBefore}, ${order}:`;
            expectEqual(idsOf(page), inOrder(order, between).slice(1, 5), `${what} the ids`);
            expectEqual(page.total, between.length, `${what} total`);
          }
        }
      }
    },
  },
  {
    name: 'range: a walk by cursor meets each session once, whatever the size of its pages',
    run: async (store) => {
      await insertAll(store);
      const bounds = {
        createdAfter: new Date(0).toISOString(),
        createdBefore: new Date(NOON + 3).toISOString(),
      };
      for (const order of orders) {
        for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
          expectEqual(
            await walk(store, { order, limit }),
            inOrder(order, positions),
            `${order} by ${limit}`,
          );
          const inner = inOrder(order, positions.slice(1, -1));
          expectEqual(
            await walk(store, { order, limit, ...bounds }),
            inner,
            `${order} by ${limit}, between`,
          );
        }
      }
    },
  },
  {
    name: 'range: a walk by cursor neither skips nor repeats a session while others come and go',
    run: async (store) => {
      for (const order of orders) {
        const tenant = `${TENANT}-${order}`;
        await insertAll(store, tenant);
        const staying = new Set(ordered.map(([id]) => id));
        let made = 0;
        const met = await walk(
          store,
          { order, limit: 3 },
          async (soFar, { id, at }) => {
            // Removes the session of the cursor, and adds some on both sides of it.
            await answerOf(store.remove(keyOf(id, tenant)));
            if (!soFar.includes(id)) staying.delete(id);
            for (const createdMs of made < 6 ? [NOON - 1, Date.parse(at), NOON + 5] : []) {
              made += 1;
              await insert(store, keyOf(`new${made}`, tenant), headOf(`new${made}`, createdMs));
            }
          },
          tenant,
        );
        expectEqual(new Set(met).size, met.length, `${order}: how many were met`);
        const known = met.filter((id) => ordered.some(([name]) => name === id));
        const expected = inOrder(order, positions).filter((id) => staying.has(id));
        expectEqual(known, expected, `${order}: what was met`);
      }
    },
  },
  {
    name: 'range: a walk by cursor passes many sessions of the same millisecond',
    run: async (store) => {
      const names = upTo(130).map((index) => `s${String(index).padStart(3, '0')}`);
      await Promise.all(names.map((id) => insert(store, keyOf(id))));
      const removing = (_: readonly string[], { id }: ListCursor) =>
        answerOf(store.remove(keyOf(id)));
      expectEqual(await walk(store, { order: 'oldest', limit: 25 }), names, 'upwards');
      expectEqual(await walk(store, { limit: 25 }, removing), names.toReversed(), 'downwards');
    },
  },
  {
    name: "range: no range holds another tenant's sessions",
    run: async (store) => {
      await insertAll(store, 'globex');
      await insert(store, keyOf('ours'));
      const all = {
        createdAfter: new Date(-1).toISOString(),
        createdBefore: new Date(NOON + 9).toISOString(),
      };
      for (const order of orders) {
        for (const after of [
          undefined,
          positionOf('epoch', 0),
          positionOf('last', 253_402_300_799_999),
        ]) {
          const page = await pageOf(store, { order, ...all, cursor: after });
          expectEqual(
            idsOf(page).filter((id) => id !== 'ours'),
            [],
            `${order}: others`,
          );
          expectEqual(page.total, 1, `${order}: total`);
        }
      }
      expectEqual(
        await pageOf(store, { order: 'oldest', cursor: positionOf('a', 0) }, 'nobody'),
        { records: [], total: 0, unreadable: [] },
        'the page of a tenant without sessions',
      );
    },
  },
];
