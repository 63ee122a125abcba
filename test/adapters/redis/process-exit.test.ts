import { tmpdir } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { freePort } from '../../support/free-port.js';
import { clientVersions } from '../../support/redis-clients.js';
import { runNode } from '../../support/run.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';

/** Longer than any test may run. */
const PATIENCE = '600000';

describeWithRedis('a process whose host closed the Redis client', ({ port }) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('one-call');
  });

  // An exit code other than 0, as after an unhandled rejection, fails these as well.
  const outcomes = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await runNode([worker.file, ...args], tmpdir()));

  test.each(clientVersions)('exits after a reply, with no timer left, with %s', async (version) => {
    expect(await outcomes(version, String(port), PATIENCE)).toEqual(['ok', 'ok']);
  });

  test.each(clientVersions)('exits after calls without a reply, with %s', async (version) => {
    const unavailable = 'store_unavailable';
    expect(await outcomes(version, String(await freePort()), '100')).toEqual([
      unavailable,
      unavailable,
    ]);
  });
});
