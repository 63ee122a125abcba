import { fork } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { FloodReport } from '../../support/workers/flooded-server.js';
import { effort, record, seeds } from '../support/effort.js';
import { type FloodOutcome, flood } from './crowd.js';
import { OUR_KEY } from './served.js';

const REQUESTS = effort(60, 10_000);
const PROMISE = 'a flood leaves a server as it was';
/**
 * What the heap may grow by from one flood to the next; the first one fills what is kept on
 * purpose.
 */
const MIB = 1024 * 1024;
const MAX_BYTES = effort(1, 4) * MIB;

const regulars = ['regular-key-0', 'regular-key-1', 'regular-key-2', 'regular-key-3'];

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('flooded-server');
});

test(
  'a flood of bad requests affects no other response, and leaves nothing in the server',
  async () => {
    const [seed = 1] = seeds(1);
    const child = fork(worker.file, [OUR_KEY, ...regulars], { execArgv: ['--expose-gc'] });
    const ended = once(child, 'exit');
    const heard = async () => JSON.parse(String((await once(child, 'message'))[0]));
    try {
      const port: number = await heard();
      const run = (round: number): Promise<FloodOutcome> =>
        flood(`http://127.0.0.1:${port}`, { count: REQUESTS, keys: regulars, seed: seed + round });
      const measured = async (): Promise<FloodReport> => {
        const report = heard();
        child.send('measure');
        return report;
      };
      const outcomes = [await run(0)];
      const before = await measured();
      outcomes.push(await run(1));
      const after = await measured();
      child.send('close');
      const [code] = await ended;
      const growth = after.heap - before.heap;
      const served = outcomes.reduce((sum, outcome) => sum + outcome.served, 0);
      record({ promise: PROMISE, figure: 'concurrent requests', value: REQUESTS });
      record({ promise: PROMISE, figure: 'right answers to others during it', value: served });
      const bar = `under ${MAX_BYTES / MIB}`;
      record({
        promise: PROMISE,
        figure: 'growth of the heap, MiB',
        value: (growth / MIB).toFixed(2),
        bar,
      });
      for (const { failed, wrong } of outcomes)
        expect({ failed, wrong }).toEqual({ failed: [], wrong: [] });
      expect(after).toMatchObject({ connections: 0, warnings: [] });
      expect(growth).toBeLessThan(MAX_BYTES);
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  },
  effort(120_000, 600_000),
);
