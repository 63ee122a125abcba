/**
 * What an append with usage costs beside one without, in pairs of rounds: microseconds of CPU a
 * call, of this process and of the database. Saves the figures in `benchmarks/results`.
 *
 *     npm run build && node --import ./.ci/sources.mjs benchmarks/spending.ts [--only redis]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import type { SessionService, SessionStore } from '../src/index.js';
import { openPool } from '../test/support/postgres-schema.js';
import { startPostgres } from '../test/support/postgres-server.js';
import { startRedis } from '../test/support/redis-server.js';
import { openLibsql, sqliteFile } from '../test/support/sqlite-file.js';
import { comparedInPairs, cpuOf } from './harness/cpu-pairs.js';
import { loadBefore } from './harness/machine.js';

const ROUNDS = 30;
const CALLS = 600;
const SESSIONS = 200;
/** The most that usage may add, as a part of an append. */
const BAR = 1.05;
const CALLERS = [1, 32];

const load = async (name: string) =>
  Object(await import(new URL(`../dist/${name}.js`, import.meta.url).href));

interface Place {
  readonly store: SessionStore;
  /** The process of the server, if there is one. */
  readonly pid?: number;
  readonly close: () => unknown;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => {
    const { MemorySessionStore } = await load('memory');
    return { store: new MemorySessionStore({ events: true }), close: () => undefined };
  },
  sqlite: async () => {
    const { SqliteSessionStore } = await load('sqlite');
    const { file, remove } = sqliteFile();
    const database = openLibsql(file);
    const store = new SqliteSessionStore({ database, events: true });
    (await store.migrate())._unsafeUnwrap();
    const close = () => {
      database.close();
      remove();
    };
    return { store, close };
  },
  redis: async () => {
    const { RedisSessionStore } = await load('redis');
    const server = await startRedis();
    const client = new Redis(server.port);
    const store = new RedisSessionStore({ client, events: true });
    const close = () => {
      client.disconnect();
      return server.stop();
    };
    return { store, pid: server.pid, close };
  },
  postgres: async () => {
    const { PostgresSessionStore } = await load('postgres');
    const server = await startPostgres();
    const pool = openPool(server, { max: 5 });
    const store = new PostgresSessionStore({ pool, events: true });
    (await store.migrate())._unsafeUnwrap();
    const close = async () => {
      await pool.end();
      await server.stop();
    };
    return { store, pid: server.pid, close };
  },
};

type Append = (call: number) => ReturnType<SessionService['append']>;

const measure = async ({ store, pid }: Place, name: string, callers: number) => {
  const { SessionService } = await load('index');
  const sessions: SessionService = new SessionService({ store });
  const budget = { tokens: 2 ** 50, microUsd: 2 ** 50 };
  const usage = { tokens: 900, microUsd: 120 };
  const entries = [{ role: 'assistant', content: 'The appointment takes about half an hour.' }];
  const costs: Record<'plain' | 'spending', number[]> = { plain: [], spending: [] };
  for (let round = -3; round < ROUNDS; round += 1) {
    const ids: string[] = [];
    for (let at = 0; at < SESSIONS; at += 1) {
      const created = await sessions.create({ face: 'ada', profile: 'tutor', start: true, budget });
      ids.push(created._unsafeUnwrap().id);
    }
    const idOf = (call: number): string => ids[call % SESSIONS] ?? '';
    const kinds: readonly (readonly ['plain' | 'spending', Append])[] = [
      ['plain', (call) => sessions.append(idOf(call), entries)],
      ['spending', (call) => sessions.append(idOf(call), entries, { usage })],
    ];
    for (const [kind, append] of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const cost = await cpuOf(append, { callers, calls: CALLS, pid });
      if (round >= 0) costs[kind].push(cost);
    }
  }
  const { us, baseUs, ratio, quartiles } = comparedInPairs(costs.spending, costs.plain);
  return {
    ...{ store: name, callers, plainUs: baseUs, spendingUs: us },
    ...{ ratio, quartiles },
    ...{ bar: BAR, meetsBar: ratio <= BAR },
  };
};

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const loaded = await loadBefore();
const results: unknown[] = [];
for (const [name, open] of Object.entries(places)) {
  if (!name.includes(values.only)) continue;
  for (const callers of CALLERS) {
    const place = await open();
    const result = await measure(place, name, callers);
    await place.close();
    console.log(JSON.stringify(result));
    results.push({ ...result, load: Number(loaded.toFixed(1)) });
  }
}
if (values.only === '') {
  mkdirSync('benchmarks/results', { recursive: true });
  const file = `benchmarks/results/${new Date().toISOString().slice(0, 10)}-spending.json`;
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
