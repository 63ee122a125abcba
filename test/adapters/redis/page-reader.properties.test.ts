import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { sessionStatuses } from '../../../src/session/session-status.js';
import { stateAt } from '../../../src/session/time-limits.js';
import type { ListCursor, PageRange } from '../../../src/store/session-store.js';
import { begin } from '../../../src/testing/commits.js';
import { listed } from '../../../src/testing/page-steps.js';
import { ended, headOf, keyOf, live, NOON } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';

/** Few times and short ids, so that many sessions share a millisecond and many ids begin alike. */
const time = fc.integer({ min: 0, max: 6 }).map((ms) => NOON + ms);
const id = fc.string({
  minLength: 1,
  maxLength: 2,
  unit: fc.constantFrom('0', 'A', '_', 'a', '~'),
});
const deadline = fc.constantFrom(NOON + 10, NOON + 20, NOON + 30, Number.POSITIVE_INFINITY);

const state: fc.Arbitrary<StateRecord> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('IDLE' as const, 'ACTIVE' as const, 'PAUSED' as const), deadline)
      .map(([status, until]) => live(status, { deadline: until })),
  },
  { weight: 1, arbitrary: deadline.map((until) => ended('terminated', { deadline: until })) },
);

const sessions = fc.uniqueArray(fc.record({ id, createdMs: time, state }), {
  maxLength: 30,
  selector: (session) => session.id,
});

const timestamp = time.map((ms) => new Date(ms).toISOString());
const place = fc.record({ id, at: timestamp });
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });

/** The place of the session of that number, or any place. */
const behind = fc.oneof(fc.nat({ max: 29 }), place);

const range = fc.record({
  offset: fc.nat({ max: 12 }),
  limit: fc.integer({ min: 1, max: 12 }),
  order: fc.constantFrom('newest', 'oldest', undefined),
  status: fc.record({
    anyOf: fc.uniqueArray(fc.constantFrom(...sessionStatuses), { minLength: 1 }),
    now: fc.constantFrom(NOON, NOON + 10, NOON + 25, NOON + 99),
  }),
  createdAfter: optional(timestamp),
  createdBefore: optional(timestamp),
  after: optional(behind),
});

interface Inserted extends ListCursor {
  readonly state: StateRecord;
}

const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** The page of a plain sorted array of those sessions that have the status. */
const expected = (
  inserted: readonly Inserted[],
  {
    offset,
    limit,
    order,
    status,
    createdAfter = '',
    createdBefore = '~',
    cursor: after,
  }: PageRange,
) => {
  const sign = order === 'oldest' ? 1 : -1;
  const inOrder = (a: ListCursor, b: ListCursor): number =>
    sign * (compare(a.at, b.at) || compare(a.id, b.id));
  const matching = inserted.filter(
    (session) =>
      status?.anyOf.includes(stateAt(session.state, status.now).status) &&
      session.at > createdAfter &&
      session.at < createdBefore,
  );
  const behind = matching
    .toSorted(inOrder)
    .filter((found) => after === undefined || inOrder(found, after) > 0);
  const page = behind.slice(offset, offset + limit);
  const last = page.at(-1);
  const next = offset + limit < behind.length && last ? { id: last.id, at: last.at } : undefined;
  return { ids: page.map((session) => session.id), total: matching.length, next };
};

let prefixes = 0;

describeWithRedis('a Redis list by status with overdue sessions', ({ port }) => {
  test('matches a sorted array in any order, after any place and within any bounds', async () => {
    const client = openClient('ioredis 5', { port });
    await fc.assert(
      fc.asyncProperty(
        sessions,
        fc.array(range, { minLength: 40, maxLength: 40 }),
        async (given, ranges) => {
          prefixes += 1;
          const prefix = `pages-${process.pid}-${prefixes}`;
          const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
          const inserted = await Promise.all(
            given.map(async (each): Promise<Inserted> => {
              const head = headOf(each.id, each.createdMs);
              await begin(store, keyOf(each.id), { head, state: each.state });
              return { id: head.id, at: head.createdAt, state: each.state };
            }),
          );
          for (const { after, ...rest } of ranges) {
            const asked: PageRange = {
              ...rest,
              cursor: typeof after === 'number' ? inserted[after % inserted.length] : after,
            };
            expect({ asked, ...(await listed(store, asked)) }).toEqual({
              asked,
              ...expected(inserted, asked),
            });
          }
        },
      ),
      { numRuns: moreIfLong(12, 100) },
    );
  }, 120_000);
});
