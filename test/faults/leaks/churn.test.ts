import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { growthOf } from '../../support/heap.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { ChurnReport } from '../../support/workers/churn.js';
import { effort, record, triedClients } from '../support/effort.js';
import { reportOf } from './child.js';

const PROMISE = 'nothing leaks';
const ROUNDS = effort(48, 4000);
/**
 * What may be left of a client and its store, in bytes: a socket or a client that stays takes tens
 * of thousands.
 */
const MAX_BYTES = effort(8000, 200);
const SAMPLES = effort(12, 40);

describeWithRedis('clients that come and go', () => {
  let worker: Worker;
  let server: RedisServer;
  beforeAll(async () => {
    [worker, server] = await Promise.all([bundleWorker('churn'), startRedis()]);
  });
  afterAll(() => server.stop());

  test.each(triedClients)(
    'leave no memory, listener or handle behind, with %s',
    async (version) => {
      const numbers = [server.port, ROUNDS, SAMPLES].map(String);
      const { samples, ...rest } = await reportOf<ChurnReport>(worker.file, version, ...numbers);
      const growth = growthOf(samples.slice(samples.length / 4));
      const bar = `under ${MAX_BYTES}`;
      record({ promise: PROMISE, figure: `clients opened and closed, ${version}`, value: ROUNDS });
      record({
        promise: PROMISE,
        figure: `bytes of heap a client, ${version}`,
        value: growth.toFixed(1),
        bar,
      });
      expect(rest).toEqual({ failed: 0, warnings: [], listeners: 0, left: [] });
      expect(growth, JSON.stringify(samples)).toBeLessThan(MAX_BYTES);
    },
    effort(120_000, 600_000),
  );
});
