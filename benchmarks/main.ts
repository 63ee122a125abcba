import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startRedis } from '../test/support/redis-server.js';
import { judge } from './bars.js';
import { describeMachine, loadBefore } from './harness/machine.js';
import { type Effort, type GroupResult, measure } from './harness/measure.js';
import { type Judged, type Results, save, tableOf } from './results.js';
import { appendSuites } from './subjects/appends.js';
import { commands } from './subjects/commands.js';
import { changes } from './subjects/creates-and-changes.js';
import { eventSuites } from './subjects/events.js';
import { fairSuites } from './subjects/fair/suites.js';
import { http } from './subjects/http.js';
import { labelSuites } from './subjects/labels.js';
import { leases } from './subjects/leases.js';
import { lightLists } from './subjects/light-lists.js';
import { memoryPages, memorySizes } from './subjects/memory-list.js';
import { observerSuites } from './subjects/observers.js';
import { otherSuites } from './subjects/others.js';
import { redisPages, redisSizes } from './subjects/redis-list.js';
import { rewindSuites } from './subjects/rewinds.js';
import { spaceSuites } from './subjects/space.js';
import { sqlSpaceSuites } from './subjects/space-sql.js';
import { storeSuites } from './subjects/stores/stores.js';
import type { Context, Count, Suite } from './subjects/suite.js';

const USAGE = `Measures Colloquy beside the limit of its stores, in one run.

  npm run bench                      the full set, about 50 minutes, saved in benchmarks/results
  npm run bench -- --only stores     the comparison of the stores alone, about ten minutes, saved as well
  npm run bench -- --only fair       beside the same guarantees by hand, about ten minutes, saved as well
  npm run bench -- --quick           the same with small sizes, to see that it works
  npm run bench -- --only TEXT       only the suites whose name has TEXT in it, not saved
  npm run bench -- --redis URL       on this server instead of one of its own; its database must be empty
`;

const suites: readonly Suite[] = [
  redisPages,
  memoryPages,
  http,
  ...appendSuites,
  changes,
  ...eventSuites,
  lightLists,
  ...labelSuites,
  leases,
  commands,
  ...otherSuites,
  ...observerSuites,
  ...rewindSuites,
  ...spaceSuites,
  ...sqlSpaceSuites,
  redisSizes,
  memorySizes,
  ...storeSuites,
  ...fairSuites,
];

/** The choices of suites whose results are saved. */
const parts = ['stores', 'fair'] as const;

const FULL: Effort = { rounds: 15, roundMs: 200 };
const QUICK: Effort = { rounds: 2, roundMs: 15 };

interface Found {
  readonly groups: readonly GroupResult[];
  readonly counts: readonly Count[];
}

const run = async (suite: Suite, context: Context, effort: Effort): Promise<Found> => {
  const groups: GroupResult[] = [];
  if (suite.groups !== undefined) {
    for await (const group of suite.groups(context)) groups.push(await measure(group, effort));
  }
  groups.push(...((await suite.results?.(context)) ?? []));
  return { groups, counts: (await suite.counts?.(context)) ?? [] };
};

/**
 * In a process of its own, as a host has one: what another suite has taught the compiler would slow
 * this one down.
 */
const runApart = async (suite: Suite, redisUrl: string): Promise<Found> => {
  const child = fork(
    fileURLToPath(import.meta.url),
    [...process.argv.slice(2), '--suite', suite.name, '--redis', redisUrl],
    {
      execArgv: ['--max-old-space-size=8000'],
    },
  );
  const gone = once(child, 'exit');
  const answer = once(child, 'message').then(([found]: Found[]) => found);
  const found = await Promise.race([answer, gone.then(() => undefined)]);
  if (found === undefined) throw new Error(`${suite.name} has failed`);
  await gone;
  return found;
};

const show = ({ groups, counts }: Found): void => {
  for (const group of groups) console.log(`${tableOf(group)}\n`);
  for (const { figure, value, unit } of counts) console.log(`${figure}: ${value} ${unit}\n`);
};

const judgedLines = (bars: readonly Judged[]): string =>
  bars
    .map(({ figure, bar, value, quartiles, reached }) => {
      const spread =
        quartiles === undefined ? '' : quartiles.map((quartile) => quartile.toFixed(2)).join('-');
      const verdict = reached ? 'reached' : 'MISSED';
      return `${verdict.padEnd(8)} ${value.toFixed(2).padStart(8)}  ${spread.padEnd(12)} ${bar.padEnd(9)} ${figure}`;
    })
    .join('\n');

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    redis: { type: 'string' },
    suite: { type: 'string' },
    rounds: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const savedKind = values.only === '' ? 'full' : parts.find((part) => part === values.only);
const usual = values.quick ? QUICK : FULL;
const effort = values.rounds === undefined ? usual : { ...usual, rounds: Number(values.rounds) };

const runOne = async (suite: Suite, redisUrl: string): Promise<void> => {
  const redis = new Redis(redisUrl);
  const found = await run(
    suite,
    { redis, redisUrl, quick: values.quick, rounds: effort.rounds },
    effort,
  );
  redis.disconnect();
  process.send?.(found, () => process.disconnect());
};

const runAll = async (): Promise<void> => {
  const load = await loadBefore();
  console.log(`load before the run ${load.toFixed(1)}\n`);
  if (values.quick) process.env['BENCHMARK_TEMPLATES'] = '100';
  const own = values.redis === undefined ? await startRedis() : undefined;
  const redisUrl = values.redis ?? own?.url ?? '';
  const redis = new Redis(redisUrl);
  try {
    if ((await redis.dbsize()) > 0)
      throw new Error('the database is not empty, and the benchmarks would empty it');
    const machine = describeMachine(
      await redis.info('server'),
      [
        'ioredis',
        'libsql',
        'pg',
        'tinybench',
        'autocannon',
        '@opentelemetry/api',
        '@opentelemetry/sdk-trace-base',
      ],
      load,
    );
    const chosen = suites.filter(({ name }) => name.includes(values.only));
    if (chosen.length === 0)
      throw new Error(`the suites are ${suites.map(({ name }) => name).join(', ')}`);
    const groups: GroupResult[] = [];
    const counts: Count[] = [];
    const queue = chosen.values();
    const measureNext = async (url: string): Promise<void> => {
      for (const suite of queue) {
        const found = await runApart(suite, url);
        show(found);
        groups.push(...found.groups);
        counts.push(...found.counts);
      }
    };
    // A quick run only shows that the benchmarks work: two run side by side.
    const second = values.quick && values.redis === undefined ? await startRedis() : undefined;
    const lanes = second === undefined ? [redisUrl] : [redisUrl, second.url];
    await Promise.all(lanes.map(measureNext)).finally(() => second?.stop());
    const kind = values.quick ? 'quick' : (savedKind ?? 'full');
    const results: Results = {
      version: 2,
      date: new Date().toISOString(),
      kind,
      machine,
      effort,
      groups,
      counts,
    };
    const judged = judge(results);
    console.log(judgedLines(judged));
    if (savedKind !== undefined) console.log(`\nsaved in ${save(results, judged)}`);
  } finally {
    redis.disconnect();
    await own?.stop();
  }
};

const suite = suites.find(({ name }) => name === values.suite);
if (values.help) console.log(USAGE);
else if (suite !== undefined) await runOne(suite, values.redis ?? '');
else await runAll();
