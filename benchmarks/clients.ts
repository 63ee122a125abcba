/**
 * What appends and lists cost through node-redis beside ioredis, in pairs of rounds: microseconds
 * of CPU of this process a call. Saves the figures in `benchmarks/results`.
 *
 *     npx tsup --no-dts && node --import ./.ci/sources.mjs benchmarks/clients.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { RedisClient } from '../adapters/redis/index.js';
import type { SessionService } from '../src/index.js';
import { startRedis } from '../test/support/redis-server.js';
import { comparedInPairs, cpuOf } from './harness/cpu-pairs.js';
import { loadBefore } from './harness/machine.js';

const ROUNDS = 30;
const CALLS = 600;
const SESSIONS = 200;
/** The most that the other client may add. */
const BAR = 1.1;
const CALLERS = [1, 32];
const ENTRIES = [{ role: 'assistant', content: 'The appointment takes about half an hour.' }];

const load = async (name: string) =>
  Object(await import(new URL(`../dist/${name}.js`, import.meta.url).href));

type Call = (sessions: SessionService, id: string) => PromiseLike<unknown>;

const calls: Readonly<Record<string, Call>> = {
  append: async (sessions, id) => (await sessions.append(id, ENTRIES))._unsafeUnwrap(),
  list: async (sessions) => (await sessions.list({ limit: 20 }))._unsafeUnwrap(),
};

const loaded = await loadBefore();
const { SessionService: Service } = await load('index');
const { RedisSessionStore } = await load('redis');
const server = await startRedis();
const ioredis = new Redis(server.port);
const nodeRedis = createClient({ socket: { port: server.port } });
await nodeRedis.connect();
const clients: readonly (readonly ['ioredis' | 'nodeRedis', RedisClient])[] = [
  ['ioredis', ioredis],
  ['nodeRedis', nodeRedis],
];

const measure = async (name: string, call: Call, callers: number) => {
  const costs: Record<'ioredis' | 'nodeRedis', number[]> = { ioredis: [], nodeRedis: [] };
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const [kind, client] of round % 2 === 0 ? clients : clients.toReversed()) {
      const store = new RedisSessionStore({
        client,
        prefix: `${name}-${callers}-${kind}-${round}`,
      });
      const sessions: SessionService = new Service({ store });
      const ids: string[] = [];
      for (let at = 0; at < SESSIONS; at += 1) {
        const created = await sessions.create({ face: 'ada', profile: 'tutor', start: true });
        ids.push(created._unsafeUnwrap().id);
      }
      const cost = await cpuOf((at) => call(sessions, ids[at % SESSIONS] ?? ''), {
        callers,
        calls: CALLS,
      });
      if (round >= 0) costs[kind].push(cost);
      await ioredis.flushdb();
    }
  }
  const { us, baseUs, ratio, quartiles } = comparedInPairs(costs.nodeRedis, costs.ioredis);
  return {
    ...{ call: name, callers, ioredisUs: baseUs, nodeRedisUs: us },
    ...{ ratio, quartiles },
    ...{ bar: BAR, meetsBar: ratio <= BAR, load: Number(loaded.toFixed(1)) },
  };
};

const results: unknown[] = [];
for (const [name, call] of Object.entries(calls)) {
  for (const callers of CALLERS) {
    const result = await measure(name, call, callers);
    console.log(JSON.stringify(result));
    results.push(result);
  }
}
ioredis.disconnect();
nodeRedis.destroy();
await server.stop();
mkdirSync('benchmarks/results', { recursive: true });
const file = `benchmarks/results/${new Date().toISOString().slice(0, 10)}-clients.json`;
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
