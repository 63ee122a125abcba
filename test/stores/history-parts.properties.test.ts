import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { planAppend } from '../../src/plan/append.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { HistorySlice, SessionStore } from '../../src/store/session-store.js';
import { answerOf } from '../../src/testing/answers.js';
import { begin } from '../../src/testing/commits.js';
import { headOf, keyOf, NOON, operationOf, say } from '../../src/testing/samples.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { sqliteInMemory } from '../support/sqlite-file.js';

/**
 * Bytes of the Redis store's first read. Sizes near its doubles are where a character may be cut.
 */
const PIECE = 16_384;

const lengths = fc.oneof(
  fc.nat(60),
  fc.nat(3000),
  fc
    .tuple(
      fc.constantFrom(PIECE / 2, PIECE, 2 * PIECE, 3 * PIECE),
      fc.integer({ min: -200, max: 20 }),
    )
    .map(([size, by]) => size + by),
);

const contents = fc
  .tuple(fc.constantFrom('x', '\u00E9', '\u20AC', '\u{1F600}', '\n{', '"'), lengths)
  .map(([text, length]) =>
    text.repeat(Math.ceil(length / Buffer.byteLength(JSON.stringify(text).slice(1, -1)))),
  );

const appends = fc.array(
  fc.record({ contents: fc.array(contents, { minLength: 1, maxLength: 4 }), name: fc.boolean() }),
  { minLength: 1, maxLength: 10 },
);

let sessions = 0;

/** Both stores with the same history, and all of it. */
const fill = async (
  stores: readonly SessionStore[],
  calls: readonly { readonly contents: readonly string[]; readonly name: boolean }[],
  context: string,
) => {
  sessions += 1;
  const key = keyOf(`s${sessions}`);
  const all: HistoryEntry[] = [];
  for (const store of stores) await begin(store, key, { head: headOf(key.id, NOON, { context }) });
  for (const [at, { contents: said, name }] of calls.entries()) {
    const entries = said.map((content) => say(content));
    all.push(...entries);
    const named = name ? { operation: operationOf(`op-${at}`) } : {};
    for (const store of stores)
      await answerOf(store.change(planAppend(key, { entries, now: NOON, ...named })));
  }
  return { key, all };
};

const expectParts = async (store: SessionStore, runs: number): Promise<void> => {
  const both = [new MemorySessionStore(), store];
  await fc.assert(
    fc.asyncProperty(
      appends,
      contents,
      fc.integer({ min: 1, max: 12 }),
      async (calls, context, count) => {
        const { key, all } = await fill(both, calls, context);
        const find = async (each: SessionStore, slice: HistorySlice) => {
          const found = await answerOf(each.entries(key, slice));
          if (found.outcome !== 'found') throw new Error(found.outcome);
          return { ...found, entries: found.entries.map(({ position: _, ...entry }) => entry) };
        };
        for (const each of both) {
          const last = await find(each, { limit: count });
          expect(last.entries).toEqual(all.slice(-count));
          const read: HistoryEntry[] = [];
          let position = 0;
          for (let hasMore = true; hasMore; ) {
            const part = await find(each, { after: position, limit: count });
            expect(part.entries).toEqual(all.slice(read.length, read.length + count));
            read.push(...part.entries);
            ({ position, hasMore } = part);
            expect(hasMore).toBe(read.length < all.length);
          }
          expect(position).toBe(last.position);
          const rest = all.slice(0, -count);
          for (let { start } = last; start > 0; ) {
            const part = await find(each, { before: start, limit: count });
            expect(part.entries).toEqual(rest.splice(-count));
            expect(part.position).toBe(start);
            ({ start } = part);
          }
          expect(rest).toEqual([]);
        }
      },
    ),
    { numRuns: runs },
  );
};

describe('history parts of any size match memory and a plain array', () => {
  test('in SQLite', async () => expectParts(await sqliteInMemory(), moreIfLong(12, 100)));

  describeWithPostgres('history parts of any size match memory', (postgres) => {
    test('in PostgreSQL', async () => {
      const pool = openPool(postgres);
      await expectParts(await postgresSchemas(pool).openNext(), moreIfLong(4, 60)).finally(() =>
        pool.end(),
      );
    });
  });

  describeWithRedis('history parts of any size match memory', ({ port }) => {
    test('on Redis with ioredis 5', async () => {
      const client = openClient('ioredis 5', { port });
      await expectParts(
        new RedisSessionStore({
          client,
          prefix: `properties-${process.pid}`,
          timeoutMs: PATIENT_MS,
        }),
        moreIfLong(8, 60),
      );
    });
  });
});
