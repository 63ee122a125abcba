import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startRedis } from '../test/support/redis-server.js';
import { judge } from './bars.js';
import { describeMachine } from './harness/machine.js';
import { type Effort, type GroupResult, measure } from './harness/measure.js';
import { type Results, save, tableOf } from './results.js';
import { http } from './subjects/http.js';
import { memoryPages, memorySizes } from './subjects/memory-list.js';
import { redisPages, redisSizes } from './subjects/redis-list.js';
import { spaceSuites } from './subjects/space.js';
import type { Context, Count, Suite } from './subjects/suite.js';
import { writeSuites } from './subjects/writes.js';

const USAGE = `Measures Colloquy beside the limit of its stores, in one run.

  npm run bench                      the full set, about twenty minutes, saved in benchmarks/results
  npm run bench -- --quick           the same with small sizes, to see that it works
  npm run bench -- --only TEXT       only the suites whose name has TEXT in it, not saved
  npm run bench -- --redis URL       on this server instead of one of its own; its database must be empty
`;

const suites: readonly Suite[] = [
  redisPages,
  memoryPages,
  http,
  ...writeSuites,
  ...spaceSuites,
  redisSizes,
  memorySizes,
];

const FULL: Effort = { rounds: 15, roundMs: 200 };
const QUICK: Effort = { rounds: 5, roundMs: 40 };

const runSuites = async (context: Context, effort: Effort, only: string) => {
  const groups: GroupResult[] = [];
  const counts: Count[] = [];
  const add = (result: GroupResult): void => {
    groups.push(result);
    console.log(`${tableOf(result)}\n`);
  };
  for (const suite of suites) {
    if (!suite.name.includes(only)) continue;
    if (suite.groups !== undefined) for await (const group of suite.groups(context)) add(await measure(group, effort));
    for (const result of (await suite.results?.(context)) ?? []) add(result);
    for (const count of (await suite.counts?.(context)) ?? []) {
      counts.push(count);
      console.log(`${count.figure}: ${count.value} ${count.unit}\n`);
    }
  }
  return { groups, counts };
};

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    redis: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const own = values.redis === undefined ? await startRedis() : undefined;
const redisUrl = values.redis ?? own?.url ?? '';
const redis = new Redis(redisUrl);
try {
  if ((await redis.dbsize()) > 0) throw new Error('the database is not empty, and the benchmarks would empty it');
  const effort = values.quick ? QUICK : FULL;
  const machine = describeMachine(await redis.info('server'), ['ioredis', 'tinybench', 'autocannon']);
  const found = await runSuites({ redis, redisUrl, quick: values.quick }, effort, values.only);
  const kind = values.quick ? 'quick' : 'full';
  const results: Results = { version: 1, date: new Date().toISOString(), kind, machine, effort, ...found };
  for (const { figure, bar, value, reached } of judge(results)) {
    console.log(`${reached ? 'reached' : 'MISSED '}  ${value.toFixed(2).padStart(8)}  ${bar.padEnd(9)} ${figure}`);
  }
  if (values.only === '') console.log(`\nsaved in ${save(results)}`);
} finally {
  redis.disconnect();
  await own?.stop();
}
