import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { freePort } from '../support/free-port.js';
import { PATIENT_MS } from '../support/patience.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { type Edit, onPort, startFile, startServerFile, writeFilesOf } from './page-files.js';

describeWithRedis('the files of a page', () => {
  // Workers of other tests would answer on a server that the run shares.
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test('of the fleet tutorial answer a message once, also if the worker that answers is killed', async () => {
    const impatient: Edit = (code) => onPort(code).replace('seconds: 5,', 'seconds: 1,');
    const folder = writeFilesOf('docs/fleet.md', impatient, redis.url);
    const port = await freePort();
    await startServerFile(folder, 'web.ts', port);
    const answering: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { stdout } = startFile(folder, 'worker.ts');
      if (stdout === null) throw new Error('the worker has no output');
      createInterface({ input: stdout }).on('line', (line) => {
        const [, pid] = /^process (\d+) answers fleet-chat$/.exec(line) ?? [];
        if (pid !== undefined) answering.push(Number(pid));
      });
    }
    const send = async () => {
      const headers = { 'x-message-id': 'm1', connection: 'close' };
      const request = { method: 'POST', body: 'Hello', headers };
      const response = await fetch(`http://127.0.0.1:${port}/fleet-chat`, request);
      return response.text();
    };
    const answer = send();
    await expect.poll(() => answering, { timeout: PATIENT_MS }).toHaveLength(1);
    for (const pid of answering) process.kill(pid, 'SIGKILL');
    expect(await answer).toBe('You said: Hello\n');
    expect(new Set(answering).size).toBe(2);
    expect(await send()).toBe('You said: Hello\n');
    expect(answering).toHaveLength(2);
  });

  test('on inversify serve sessions from Redis', async () => {
    const folder = writeFilesOf('docs/reference/inversify.md', onPort, redis.url);
    const port = await freePort();
    await startServerFile(folder, 'server.ts', port);
    const headers = { 'X-API-KEY': 'change-me', connection: 'close' };
    const created = await fetch(`http://127.0.0.1:${port}/api/create-session`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ face: 'ada', profile: 'tutor', start: true }),
    });
    expect(created.status).toBe(201);
    const listed = await fetch(`http://127.0.0.1:${port}/api/sessions`, { headers });
    expect(await listed.json()).toMatchObject([
      { status: 'ACTIVE', options: { time_limit: 3600 } },
    ]);
  });
});
