import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { growthOf } from '../../support/heap.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { EnduranceReport } from '../../support/workers/endurance.js';
import { effort, record, triedClients } from '../support/effort.js';
import { reportOf } from './child.js';

const PROMISE = 'nothing leaks';
const PATIENCE_MS = effort(120_000, 900_000);
/**
 * What may be left of an operation, in bytes: less than an entry. With few operations, what the
 * process still warms up to counts for more.
 */
const MAX_BYTES = { memory: effort(250, 0.5), redis: 2 } as const;
const SAMPLES = effort(12, 40);
const CONTENT = 200;

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('endurance');
});

const endure = async (store: string, port: number, operations: number): Promise<void> => {
  const kind = store === 'memory' ? 'memory' : 'redis';
  const most = MAX_BYTES[kind];
  const numbers = [port, operations, SAMPLES, CONTENT];
  const { samples, ...rest } = await reportOf<EnduranceReport>(
    worker.file,
    store,
    ...numbers.map(String),
  );
  const settled = samples.slice(samples.length / 2);
  const growth = growthOf(settled);
  record({ promise: PROMISE, figure: `operations, ${store}`, value: samples.at(-1)?.steps ?? 0 });
  const bar = `under ${most}`;
  record({
    promise: PROMISE,
    figure: `bytes of heap an operation, ${store}`,
    value: growth.toFixed(3),
    bar,
  });
  expect(rest).toEqual({ unexpected: [], warnings: [], left: [] });
  expect(growth, JSON.stringify(samples)).toBeLessThan(most);
};

test(
  'many operations in memory leak nothing',
  () => endure('memory', 0, effort(10_000, 9_000_000)),
  PATIENCE_MS,
);

describeWithRedis('many operations on a Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  // A short run shows what the engine leaves in memory, and what clients leave that come and go.
  // What a store on Redis remembers of sessions comes and goes too, so that only many operations
  // show what stays.
  effort(test.skip, test).each(triedClients)(
    'leave nothing behind, with %s',
    (version) => endure(version, server.port, 500_000),
    PATIENCE_MS,
  );
});
