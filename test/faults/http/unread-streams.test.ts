import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../support/redis-server.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { WatchedReport, WatchedServer } from '../../support/workers/watched-server.js';
import { effort, record } from '../support/effort.js';

const PROMISE = 'watchers that do not read cost next to nothing';
const WATCHERS = effort(100, 1000);
const SESSION_BYTES = 2_000_000;
const TURNS = effort(20, 100);
/** Megabytes that watchers may add to the process. One text for each of them would be 2 MB. */
const MAX_MB = effort(100, 300);
/** Sessions that were sent lately, 16 MiB, and what a client of Redis keeps of its last replies. */
const MAX_KEPT_MB = 40;

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('watched-server');
});

/** A process with a heap of 1 GiB that serves the session, until the test ends. */
const serve = async (redisPort?: number) => {
  const args = [String(SESSION_BYTES), ...(redisPort === undefined ? [] : [String(redisPort)])];
  const child: ChildProcess = fork(worker.file, args, {
    execArgv: ['--expose-gc', '--max-old-space-size=1024'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'exit');
  const gone = ended.then(([code]) => {
    throw new Error(`the process has ended with ${code}`);
  });
  gone.catch(() => undefined);
  const heard = async () =>
    JSON.parse(String((await Promise.race([gone, once(child, 'message')]))[0]));
  const asked = async (wish: string) => {
    const answer = heard();
    child.send(wish);
    return answer;
  };
  const served: WatchedServer = await heard();
  return {
    served,
    append: () => asked('append'),
    measure: (): Promise<WatchedReport> => asked('measure'),
    close: async () => {
      child.send('close');
      expect((await ended)[0]).toBe(0);
    },
  };
};

/** A watcher that takes nothing until it is told to, and then reads to the end of its snapshot. */
const watcher = ({ port, path }: WatchedServer) => {
  const socket = connect(port, '127.0.0.1');
  let last = '';
  let isWhole = false;
  let wake = (): void => undefined;
  socket.pause();
  // To be cut off is what this is about.
  socket.on('error', () => undefined);
  socket.on('close', () => wake());
  socket.on('data', (chunk: Buffer) => {
    last = last.slice(-64) + chunk.toString('latin1');
    isWhole ||= last.includes('}\n\n');
    wake();
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-KEY: key\r\n\r\n`);
  return {
    connected: once(socket, 'connect'),
    leave: () => socket.destroy(),
    /** Whether it got all of the snapshot; if not, it was cut off or turned away. */
    read: async (): Promise<boolean> => {
      socket.resume();
      while (!socket.closed && !isWhole) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return isWhole;
    },
  };
};

const stores = {
  memory: async () => undefined,
  Redis: async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    return redis.port;
  },
} as const;

const cases = Object.entries(stores).filter(
  ([name]) => name === 'memory' || requirements.redis.isMet(),
);
if (!requirements.redis.isMet()) test.skip(reasonToSkip(requirements.redis));

// Memory of a process also depends on when its collector has run: a text for each watcher would
// fail every time.
test.each(cases)(
  'many watches of one large session in %s stay within a memory limit while unread, and catch up',
  { retry: 2, timeout: effort(120_000, 600_000) },
  async (name, open) => {
    const server = await serve(await open());
    const before = await server.measure();
    const watchers = Array.from({ length: WATCHERS }, () => watcher(server.served));
    await Promise.all(watchers.map(({ connected }) => connected));
    // Whoever was answered before is after a snapshot that is read now.
    for (let turn = 0; turn < 3; ) if (await watcher(server.served).read()) turn += 1;
    const unread = await server.measure();
    let again = 0;
    const readAll = async (one: ReturnType<typeof watcher>): Promise<void> => {
      let current = one;
      while (!(await current.read())) {
        again += 1;
        current = watcher(server.served);
      }
    };
    await Promise.all(watchers.map(readAll));
    const read = await server.measure();
    for (const { rss } of [unread, read]) expect(rss - before.rss).toBeLessThan(MAX_MB);
    const bar = `under ${MAX_MB}`;
    record({
      promise: PROMISE,
      figure: `${name}: watchers of one session of 2 MB`,
      value: WATCHERS,
    });
    record({
      promise: PROMISE,
      figure: `${name}: that were cut off or turned away, and came back`,
      value: again,
    });
    record({
      promise: PROMISE,
      figure: `${name}: MB more, unread`,
      value: (unread.rss - before.rss).toFixed(0),
      bar,
    });
    record({
      promise: PROMISE,
      figure: `${name}: MB more, read`,
      value: (read.rss - before.rss).toFixed(0),
      bar,
    });
    await server.close();
  },
);

test.each(cases)(
  'successive watches in %s stay within a memory limit while the session changes',
  async (name, open) => {
    const server = await serve(await open());
    const before = await server.measure();
    const watchers: ReturnType<typeof watcher>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const one = watcher(server.served);
      watchers.push(one);
      await one.read();
      await server.append();
    }
    const after = await server.measure();
    for (const { leave } of watchers) leave();
    const growth = after.heap + after.buffers - before.heap - before.buffers;
    expect(growth).toBeLessThan(MAX_KEPT_MB);
    record({
      promise: PROMISE,
      figure: `${name}: MB held for ${TURNS} that wait, each of another state`,
      value: growth.toFixed(1),
    });
    await server.close();
  },
  effort(120_000, 600_000),
);
