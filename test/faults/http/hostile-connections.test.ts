import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../http/client.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { HostReady, HostReport } from '../../support/workers/hostile-host.js';
import { effort, record, seeds } from '../support/effort.js';
import { hostileConnection, strangersTriple, type Target } from './hostile-clients.js';
import { OUR_KEY } from './served.js';

const PROMISE = 'no stranger ends the process';
const TRIPLES = effort(6, 3000);
const CONNECTIONS = effort(25, 5000);
const AT_ONCE = 6;

const mounts = [
  'colloquy serve',
  'node:http',
  'Express 5',
  'Koa 3',
  'Fastify',
  'Fetch',
  ...effort([], ['Express 5 with a parser', 'Express 4', 'Koa 2']),
];

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('hostile-host');
});

/**
 * Another Node than that of the tests may be named, for their tools do not run on all that the
 * package runs on.
 */
const execPath = process.env['COLLOQUY_NODE'] ?? process.execPath;

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

const start = async (
  mount: string,
): Promise<{ readonly target: Target; readonly said: () => string }> => {
  child = fork(worker.file, [mount, OUR_KEY], {
    execPath,
    execArgv: ['--no-deprecation'],
    silent: true,
  });
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  const [message] = await once(child, 'message');
  const ready: HostReady = JSON.parse(String(message));
  return { target: { ...ready, key: OUR_KEY }, said: () => text };
};

/**
 * Opens so many connections, a few concurrently, for as long as the server lives; answers how many.
 */
const attack = async (count: number, open: (at: number) => Promise<void>): Promise<number> => {
  let opened = 0;
  const attacker = async () => {
    while (opened < count && child.exitCode === null) {
      opened += 1;
      await open(opened);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attacker));
  return opened;
};

const expectAlive = async (
  { port, key }: Target,
  said: () => string,
  seed: number,
): Promise<void> => {
  expect({ seed, exit: child.exitCode, said: said() }).toEqual({ seed, exit: null, said: '' });
  const answer = await send(`http://127.0.0.1:${port}`, '/sessions?limit=1', {
    headers: { 'X-API-KEY': key },
  });
  expect(answer.status).toBe(200);
  const report = once(child, 'message');
  child.send('report');
  const { warnings }: HostReport = JSON.parse(String((await report)[0]));
  expect(warnings).toEqual([]);
};

describe.each(mounts)('%s', (mount) => {
  test('survives three requests on one connection that is reset during the responses', async () => {
    const { target, said } = await start(mount);
    const opened = await attack(TRIPLES, (at) => strangersTriple(target, at));
    await expectAlive(target, said, 0);
    record({
      promise: PROMISE,
      figure: `${mount}: three requests and a reset, connections`,
      value: opened,
    });
  });

  test('survives pipelines that are cut off, reset, half closed or never read', async () => {
    const [seed = 1] = seeds(1);
    const { target, said } = await start(mount);
    const opened = await attack(CONNECTIONS, (at) =>
      hostileConnection(target, seed * 1_000_000 + at),
    );
    await expectAlive(target, said, seed);
    record({ promise: PROMISE, figure: `${mount}: random pipelines, connections`, value: opened });
  });
});
