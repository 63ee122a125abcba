import fc from 'fast-check';
import MockRedis from 'ioredis-mock';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import type { ListCursor, PageRange, SessionStore } from '../../src/store/session-store.js';
import { answerOf } from '../../src/testing/answers.js';
import { remove, tryBegin } from '../../src/testing/commits.js';
import { headOf, keyOf, live, NOON, TENANT } from '../../src/testing/samples.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { sqliteInMemory } from '../support/sqlite-file.js';

/** Few times and short ids, so that many sessions share a millisecond and many ids begin alike. */
const time = fc.integer({ min: 0, max: 5 }).map((ms) => NOON + ms);
const id = fc.string({
  minLength: 1,
  maxLength: 3,
  unit: fc.constantFrom('0', 'A', 'Z', '_', 'a', 'b', '~'),
});
const place = fc.record({ id, createdMs: time });
const timestamp = time.map((ms) => new Date(ms).toISOString());
const order = fc.constantFrom('newest' as const, 'oldest' as const);

type Step =
  | {
      readonly does: 'insert' | 'remove';
      readonly what: { readonly id: string; readonly createdMs: number };
    }
  | { readonly does: 'list'; readonly range: PageRange };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('insert' as const), what: place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('remove' as const), what: place }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('list' as const),
      range: fc.record({
        offset: fc.nat({ max: 8 }),
        limit: fc.nat({ max: 12 }),
        order: fc.option(order, { nil: undefined }),
        createdAfter: fc.option(timestamp, { nil: undefined }),
        createdBefore: fc.option(timestamp, { nil: undefined }),
        cursor: fc.option(
          place.map(
            (found): ListCursor => ({ id: found.id, at: new Date(found.createdMs).toISOString() }),
          ),
          { nil: undefined },
        ),
      }),
    }),
  },
);

const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

const rising = (a: ListCursor, b: ListCursor): number => compare(a.at, b.at) || compare(a.id, b.id);

/** The page that a sorted array would return. */
const expected = (places: readonly ListCursor[], range: PageRange) => {
  const {
    offset,
    limit,
    order: direction,
    createdAfter = '',
    createdBefore = '~',
    cursor: after,
  } = range;
  const sign = direction === 'oldest' ? 1 : -1;
  const matching = places.filter(({ at }) => at > createdAfter && at < createdBefore);
  const sorted = matching.toSorted((a, b) => sign * rising(a, b));
  const behind =
    after === undefined ? sorted : sorted.filter((found) => sign * rising(found, after) > 0);
  const page = behind.slice(offset, offset + limit);
  return {
    page,
    total: matching.length,
    next: offset + limit < behind.length ? page.at(-1) : undefined,
  };
};

const expectLikeArray = (open: () => SessionStore | Promise<SessionStore>, runs: number) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const sessions = await open();
      const there = new Map<string, ListCursor>();
      for (const taken of steps) {
        if (taken.does === 'list') {
          const { page, total, next } = expected([...there.values()], taken.range);
          const found = await answerOf(sessions.page(TENANT, taken.range));
          expect(found.records.map(({ head }) => head.id)).toEqual(
            page.map((session) => session.id),
          );
          expect([found.total, found.nextCursor, found.unreadable]).toEqual([total, next, []]);
        } else if (taken.does === 'insert') {
          const head = headOf(taken.what.id, taken.what.createdMs);
          await tryBegin(sessions, keyOf(head.id), { head, state: live('IDLE') });
          if (!there.has(head.id)) there.set(head.id, { id: head.id, at: head.createdAt });
        } else {
          await remove(sessions, keyOf(taken.what.id));
          there.delete(taken.what.id);
        }
      }
    }),
    { numRuns: runs },
  );

let prefixes = 0;
const newPrefix = (): string => {
  prefixes += 1;
  return `ranges-${process.pid}-${prefixes}`;
};

describe('ranges of sessions that come and go match a sorted array', () => {
  test('in memory', () => expectLikeArray(() => new MemorySessionStore(), moreIfLong(40, 300)));

  test('in SQLite', () => expectLikeArray(sqliteInMemory, moreIfLong(15, 100)));

  test('in ioredis-mock', () => {
    const client = new MockRedis();
    return expectLikeArray(
      () => new RedisSessionStore({ client, prefix: newPrefix(), timeoutMs: PATIENT_MS }),
      moreIfLong(3, 10),
    );
  });

  describeWithPostgres('ranges of sessions that come and go match a sorted array', (postgres) => {
    test('in PostgreSQL', async () => {
      const pool = openPool(postgres);
      await expectLikeArray(postgresSchemas(pool).openNext, moreIfLong(4, 60)).finally(() =>
        pool.end(),
      );
    });
  });

  describeWithRedis('ranges of sessions that come and go match a sorted array', ({ port }) => {
    test('in Redis', () => {
      const client = openClient('ioredis 5', { port });
      return expectLikeArray(
        () => new RedisSessionStore({ client, prefix: newPrefix(), timeoutMs: PATIENT_MS }),
        moreIfLong(8, 60),
      );
    });
  });
});
