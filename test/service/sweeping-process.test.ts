import { tmpdir } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import { runNode } from '../support/run.js';
import { bundleWorker, type Worker } from '../support/worker-pool.js';

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('only-sweeper');
});

test('a process that only sweeps runs until its sweeper is stopped, and then exits', async () => {
  expect(await runNode([worker.file], tmpdir())).toBe('idle_timeout\n');
});
