import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { clientVersions, openClient } from '../support/redis-clients.js';
import { startedIn } from '../support/sessions.js';
import { bundleWorker, type Worker } from '../support/worker-pool.js';

describeWithRedis('a closed Redis client', ({ port }) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('left-watch');
  });

  test('ends its watches, so that the process can exit', async () => {
    const child = spawn(process.execPath, [worker.file, String(port), `left-${process.pid}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) said.push(line);
    expect(await exited).toEqual([0, null]);
    expect(said.toSorted()).toEqual([
      'watch is over',
      'watch store_unavailable',
      'watchAll is over',
      'watchAll store_unavailable',
    ]);
  });

  test.each(clientVersions)(
    'ends a watch that is far behind after its remaining events, with %s',
    async (version) => {
      const client = openClient(version, { port });
      const store = new RedisSessionStore({
        client,
        prefix: `left-${process.pid}-${version.at(-1)}`,
        events: true,
        timeoutMs: PATIENT_MS,
      });
      const sessions = new SessionService({ store });
      const id = await startedIn(sessions);
      const watch = sessions.watch(id)[Symbol.asyncIterator]();
      await watch.next();
      for (let turn = 0; turn < 300; turn += 1)
        await sessions.append(id, [{ role: 'user', content: `${turn}` }]);
      client.disconnect();
      let events = 0;
      let { value } = await watch.next();
      for (; value?.isOk(); { value } = await watch.next()) events += 1;
      expect(value?._unsafeUnwrapErr()).toMatchObject({
        type: 'store_unavailable',
        outcome: 'not_applied',
      });
      expect(events).toBeLessThanOrEqual(300);
      expect(await watch.next()).toEqual({ done: true, value: undefined });
    },
  );
});
