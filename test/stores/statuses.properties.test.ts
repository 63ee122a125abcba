import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { timestampOf } from '../../src/session/clock.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { type SessionStatus, sessionStatuses } from '../../src/session/session-status.js';
import type { ListCursor, ListOrder, SessionStore } from '../../src/store/session-store.js';
import { answerOf } from '../../src/testing/answers.js';
import { remove, tryBegin, tryPut } from '../../src/testing/commits.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from '../../src/testing/samples.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { sqliteInMemory } from '../support/sqlite-file.js';

/** Few times, so that many sessions share a millisecond and many lists are read at a deadline. */
const time = fc.integer({ min: 0, max: 6 }).map((ms) => NOON + ms);
const deadline = fc.oneof(time, fc.constant(Number.POSITIVE_INFINITY));
const id = fc.integer({ min: 0, max: 15 }).map((number) => `s${number}`);
const status = fc.constantFrom(...sessionStatuses);

interface Query {
  /** Any status if absent. */
  readonly statuses: readonly SessionStatus[] | undefined;
  /** Time may go backwards between steps, because callers' clocks differ. */
  readonly now: number;
  readonly order: ListOrder;
  readonly limit: number;
}

type Step =
  | {
      readonly does: 'insert';
      readonly id: string;
      readonly createdMs: number;
      readonly usedAt: number;
      readonly deadline: number;
    }
  | {
      readonly does: 'replace';
      readonly id: string;
      readonly status: SessionStatus;
      readonly usedAt: number;
      readonly deadline: number;
    }
  | { readonly does: 'remove'; readonly id: string }
  | { readonly does: 'list'; readonly query: Query };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('insert' as const),
      id,
      createdMs: time,
      usedAt: time,
      deadline,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('replace' as const),
      id,
      status,
      usedAt: time,
      deadline,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const), id }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('list' as const),
      query: fc.record({
        statuses: fc.option(fc.uniqueArray(status, { minLength: 1 }), { nil: undefined }),
        now: time,
        order: fc.constantFrom<ListOrder>('newest', 'oldest', 'updated'),
        limit: fc.integer({ min: 1, max: 5 }),
      }),
    }),
  },
);

interface Known {
  readonly place: ListCursor;
  readonly state: StateRecord;
}

type Times = Pick<StateRecord, 'revision' | 'deadline' | 'lastActivityAt'>;

const stateOf = (found: SessionStatus, times: Times): StateRecord =>
  found === 'TERMINATED' ? ended('terminated', times) : live(found, times);

/** The simplest computation of a status. */
const statusAt = ({ state }: Known, now: number): SessionStatus =>
  now >= state.deadline ? 'TERMINATED' : state.status;

const isOlder = (a: ListCursor, b: ListCursor): boolean =>
  a.at < b.at || (a.at === b.at && a.id < b.id);

/** The time that orders a list: an expiry counts as an update. */
const timeIn = ({ place, state }: Known, { order, now }: Query): string => {
  if (order !== 'updated') return place.at;
  const isEnded = state.status !== 'TERMINATED' && now >= state.deadline;
  return timestampOf(
    isEnded ? Math.max(state.deadline, state.lastActivityAt) : state.lastActivityAt,
  );
};

const expectedIds = (known: readonly Known[], query: Query): readonly string[] => {
  const { statuses = sessionStatuses } = query;
  const oldest = known
    .filter((one) => statuses.includes(statusAt(one, query.now)))
    .map((one) => ({ id: one.place.id, at: timeIn(one, query) }))
    .sort((a, b) => (isOlder(a, b) ? -1 : 1))
    .map(({ id }) => id);
  return query.order === 'oldest' ? oldest : oldest.toReversed();
};

/** Reads all pages by number and by cursor. */
const expectList = async (
  store: SessionStore,
  known: readonly Known[],
  query: Query,
): Promise<void> => {
  const ids = expectedIds(known, query);
  const { limit, order, statuses: anyOf, now } = query;
  const status = anyOf && { anyOf, now };
  const read = async (offset: number, after?: ListCursor) => {
    const page = await answerOf(
      store.page(TENANT, { offset, limit, order, now, status, cursor: after }),
    );
    return {
      ids: page.records.map(({ head }) => head.id),
      total: page.total,
      next: page.nextCursor,
    };
  };
  for (let offset = 0; offset <= ids.length; offset += limit) {
    const page = await read(offset);
    expect(page.ids).toEqual(ids.slice(offset, offset + limit));
    expect([page.total, page.next !== undefined]).toEqual([
      ids.length,
      offset + limit < ids.length,
    ]);
  }
  const walked: string[] = [];
  for (
    let next: ListCursor | undefined, isFirst = true;
    isFirst || next !== undefined;
    isFirst = false
  ) {
    const page = await read(0, next);
    expect(page.total).toBe(ids.length);
    walked.push(...page.ids);
    ({ next } = page);
  }
  expect(walked).toEqual(ids);
};

const expectLikeModel = (open: () => SessionStore | Promise<SessionStore>, runs: number) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const store = await open();
      const known = new Map<string, Known>();
      for (const taken of steps) {
        if (taken.does === 'list') {
          await expectList(store, [...known.values()], taken.query);
          continue;
        }
        const before = known.get(taken.id);
        if (taken.does === 'insert') {
          const head = headOf(taken.id, taken.createdMs);
          const state = live('IDLE', { deadline: taken.deadline, lastActivityAt: taken.usedAt });
          await tryBegin(store, keyOf(head.id), { head, state });
          if (before === undefined)
            known.set(taken.id, { place: { id: head.id, at: head.createdAt }, state });
        } else if (taken.does === 'remove') {
          await remove(store, keyOf(taken.id));
          known.delete(taken.id);
        } else if (before !== undefined) {
          const lastActivityAt = Math.max(before.state.lastActivityAt, taken.usedAt);
          const revision = before.state.revision + 1;
          const state = stateOf(taken.status, {
            revision,
            deadline: taken.deadline,
            lastActivityAt,
          });
          await tryPut(store, keyOf(taken.id), state);
          known.set(taken.id, { ...before, state });
        }
      }
    }),
    { numRuns: runs },
  );

let prefixes = 0;

describe('lists by status match a plain array of all sessions at any time', () => {
  test('in memory', () => expectLikeModel(() => new MemorySessionStore(), moreIfLong(40, 300)));

  test('in SQLite', () => expectLikeModel(sqliteInMemory, moreIfLong(15, 100)));

  describeWithPostgres('lists by status match a plain array of all sessions', (postgres) => {
    test('in PostgreSQL at any time', async () => {
      const pool = openPool(postgres);
      await expectLikeModel(postgresSchemas(pool).openNext, moreIfLong(4, 60)).finally(() =>
        pool.end(),
      );
    });
  });

  describeWithRedis('lists by status match a plain array of all sessions', ({ port }) => {
    test('in Redis at any time', () => {
      const client = openClient('ioredis 5', { port });
      return expectLikeModel(() => {
        prefixes += 1;
        const prefix = `statuses-${process.pid}-${prefixes}`;
        return new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
      }, 40);
    });
  });
});
