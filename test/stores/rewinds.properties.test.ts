import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import type { AppendOrSpend } from '../../src/plan/append.js';
import { planAppend } from '../../src/plan/append.js';
import type { UseChange } from '../../src/store/commit.js';
import type { HistorySlice, SessionKey, SessionStore } from '../../src/store/session-store.js';
import { answerOf } from '../../src/testing/answers.js';
import { begin, change, made } from '../../src/testing/commits.js';
import { keyOf, NOON, operationOf, say } from '../../src/testing/samples.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { sqliteInMemory } from '../support/sqlite-file.js';

/** Mostly short content; some with multibyte characters, some that a server reads in pieces. */
const content = fc
  .tuple(
    fc.constantFrom('x', '\u00E9', '\u20AC', '\u{1F600}', '\n{', '"'),
    fc.oneof(
      { weight: 12, arbitrary: fc.nat(40) },
      { weight: 2, arbitrary: fc.integer({ min: 4000, max: 9000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 16_000, max: 70_000 }) },
    ),
  )
  .map(([text, length]) => text.repeat(length));

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('append' as const),
      contents: fc.array(content, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('rewind' as const),
      contents: fc.array(content, { maxLength: 3 }),
      back: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(60) }),
      isNamed: fc.boolean(),
    }),
  },
  /** Any position, current or superseded. */
  { weight: 2, arbitrary: fc.record({ does: fc.constant('anywhere' as const), at: fc.nat(200) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('beyond' as const),
      by: fc.integer({ min: 1, max: 100_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('read' as const),
      limit: fc.constantFrom(1, 2, 3, 10, 100),
      maxBytes: fc.constantFrom(undefined, 1, 200, 10_000, 100_000),
      at: fc.nat(200),
      isBackward: fc.boolean(),
    }),
  },
);

const commands = fc.array(command, { minLength: 5, maxLength: 40 });

/** An entry of the plain list, with its position in each store. */
interface Entry {
  readonly content: string;
  readonly positions: readonly number[];
}

let sessions = 0;

const rewindOf = (
  key: SessionKey,
  truncate: number,
  append: AppendOrSpend = { entries: [], now: NOON },
): UseChange => {
  const { guards, effects } = planAppend(key, append);
  return { key, guards, effects: { ...effects, truncate } };
};

/** Compares stores with a plain list, of which a rewind keeps the beginning. */
class Comparison {
  readonly #stores: readonly SessionStore[];
  readonly #key: SessionKey;
  #list: readonly Entry[] = [];
  /** Every position that ever existed: in each store, and whether it is current. */
  readonly #known: { readonly positions: readonly number[]; isCurrent: boolean }[] = [];
  #ends: readonly number[];
  #turn = 0;

  constructor(stores: readonly SessionStore[]) {
    sessions += 1;
    this.#key = keyOf(`s${sessions}`);
    this.#stores = stores;
    this.#ends = stores.map(() => 0);
  }

  async begin(): Promise<void> {
    for (const store of this.#stores) await begin(store, this.#key);
  }

  async run(
    command: typeof commands extends fc.Arbitrary<readonly (infer C)[]> ? C : never,
  ): Promise<void> {
    this.#turn += 1;
    switch (command.does) {
      case 'append':
        return this.#add(command.contents, this.#list.length, undefined, false);
      case 'rewind': {
        const kept = Math.max(0, this.#list.length - command.back);
        return this.#add(command.contents, kept, this.#positionsAt(kept), command.isNamed);
      }
      case 'anywhere': {
        const known = this.#known[command.at % Math.max(1, this.#known.length)];
        if (known === undefined || known.isCurrent) return undefined;
        for (const [at, store] of this.#stores.entries()) {
          const commit = rewindOf(this.#key, known.positions[at] ?? 0);
          expect(await change(store, commit)).toEqual({
            outcome: 'refused',
            guard: 'superseded',
            position: this.#ends[at],
          });
        }
        return undefined;
      }
      case 'beyond':
        for (const [at, store] of this.#stores.entries()) {
          const commit = rewindOf(this.#key, (this.#ends[at] ?? 0) + command.by);
          expect(await change(store, commit)).toEqual({
            outcome: 'refused',
            guard: 'position',
          });
        }
        return undefined;
      default:
        return this.#read(command);
    }
  }

  async expectSame(): Promise<void> {
    const contents = this.#list.map((entry) => entry.content);
    for (const [at, store] of this.#stores.entries()) {
      for (const historyLimit of [undefined, 1, 7]) {
        const found = await answerOf(store.find(this.#key, { historyLimit }));
        const latest = historyLimit === undefined ? contents : contents.slice(-historyLimit);
        expect([found?.history.map((entry) => entry.content), found?.historyCount]).toEqual([
          latest,
          contents.length,
        ]);
      }
      const on: string[] = [];
      for (let [after, hasMore] = [0, true]; hasMore; ) {
        const part = await this.#part(store, { after, limit: 5, maxBytes: 20_000 });
        on.push(...part.entries.map((entry) => entry.content));
        expect(part.position).toBeGreaterThanOrEqual(after);
        ({ position: after, hasMore } = part);
        if (!hasMore) expect(after).toBe(this.#ends[at]);
      }
      expect(on).toEqual(contents);
      const back: string[] = [];
      for (let before = this.#ends[at] ?? 0; before > 0; ) {
        const part = await this.#part(store, { before, limit: 5, maxBytes: 20_000 });
        back.unshift(...part.entries.map((entry) => entry.content));
        expect(part.start).toBeLessThan(before);
        before = part.start;
      }
      expect(back).toEqual(contents);
    }
  }

  #positionsAt(count: number): readonly number[] {
    return this.#list[count - 1]?.positions ?? this.#stores.map(() => 0);
  }

  async #part(store: SessionStore, slice: HistorySlice) {
    const found = await answerOf(store.entries(this.#key, slice));
    if (found.outcome !== 'found') throw new Error(found.outcome);
    return found;
  }

  async #add(
    contents: readonly string[],
    kept: number,
    after: readonly number[] | undefined,
    isNamed: boolean,
  ) {
    const entries = contents.map((text) => say(text));
    const ends: number[] = [];
    const added: (readonly number[])[] = [];
    for (const [at, store] of this.#stores.entries()) {
      const ifPosition = this.#ends[at] ?? 0;
      const call = {
        ...{ entries, now: NOON, ifPosition },
        ...(isNamed && { operation: operationOf(`turn-${this.#turn}`) }),
      };
      const commit =
        after === undefined
          ? planAppend(this.#key, call)
          : rewindOf(this.#key, after[at] ?? 0, call);
      const position = await made(store, commit);
      if (isNamed) {
        expect(await change(store, commit)).toEqual({ outcome: 'repeated', position });
      }
      expect(position).toBeGreaterThan(ifPosition);
      ends.push(position);
      const { entries: found } = await this.#part(store, { limit: Math.max(1, contents.length) });
      added.push(found.map(({ position }) => position));
    }
    for (const known of this.#known) known.isCurrent &&= this.#isAmong(known.positions, kept);
    const more = contents.map((text, at) => ({
      content: text,
      positions: added.map((each) => each[at] ?? 0),
    }));
    this.#list = [...this.#list.slice(0, kept), ...more];
    this.#ends = ends;
    this.#known.push(...more.map(({ positions }) => ({ positions, isCurrent: true })));
  }

  #isAmong(positions: readonly number[], kept: number): boolean {
    return this.#list.slice(0, kept).some((entry) => entry.positions[0] === positions[0]);
  }

  async #read({
    limit,
    maxBytes,
    at,
    isBackward,
  }: {
    readonly limit: number;
    readonly maxBytes: number | undefined;
    readonly at: number;
    readonly isBackward: boolean;
  }): Promise<void> {
    const known = this.#known[at % Math.max(1, this.#known.length)];
    const size = { limit, ...(maxBytes !== undefined && { maxBytes }) };
    for (const [of, store] of this.#stores.entries()) {
      const place = known?.positions[of] ?? 0;
      const number = this.#list.filter((entry) => (entry.positions[of] ?? 0) <= place).length;
      const found = await this.#part(
        store,
        isBackward ? { ...size, before: place } : { ...size, after: place },
      );
      const all = this.#list.map((entry) => entry.content);
      const side = isBackward ? all.slice(0, number) : all.slice(number);
      const count = found.entries.length;
      expect(count).toBeLessThanOrEqual(limit);
      if (side.length > 0) expect(count).toBeGreaterThan(0);
      if (maxBytes === undefined) expect(count).toBe(Math.min(limit, side.length));
      const expected = isBackward ? side.slice(side.length - count) : side.slice(0, count);
      expect(found.entries.map((entry) => entry.content)).toEqual(expected);
      expect(found.hasMore).toBe(isBackward ? number < all.length : number + count < all.length);
    }
  }
}

const expectAList = async (stores: readonly SessionStore[], runs: number): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(commands, async (given) => {
      const comparison = new Comparison(stores);
      await comparison.begin();
      for (const each of given) await comparison.run(each);
      await comparison.expectSame();
    }),
    { numRuns: runs },
  );
};

describe('a history matches a plain list after any appends and rewinds', () => {
  test('in memory and in SQLite', async () => {
    await expectAList([new MemorySessionStore(), await sqliteInMemory()], moreIfLong(20, 300));
  });

  describeWithPostgres('a history after any appends and rewinds', (postgres) => {
    test('is the same in PostgreSQL and in memory', async () => {
      const pool = openPool(postgres);
      const store = await postgresSchemas(pool).openNext();
      await expectAList([new MemorySessionStore(), store], moreIfLong(5, 80)).finally(() =>
        pool.end(),
      );
    });
  });

  describeWithRedis('a history after any appends and rewinds', ({ port }) => {
    test('is the same on Redis and in memory', async () => {
      const client = openClient('ioredis 5', { port });
      const store = new RedisSessionStore({
        client,
        prefix: `rewound-${process.pid}`,
        timeoutMs: PATIENT_MS,
      });
      await expectAList([new MemorySessionStore(), store], moreIfLong(12, 250));
    });
  });
});
