import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../http/client.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { startRedis } from '../../support/redis-server.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record } from '../support/effort.js';

const MIB = 1024 * 1024;
const SECONDS = effort(1, 30);
const HEAP_MIB = 1024;
const MAX_REDIS_GROWTH_MIB = 256;
const PROMISE = 'the largest pages of one tenant hold nobody up';

/** Pages that are just within the default budget of 8 MiB, and the same page again and again. */
const LARGE = { sessions: 100, bytes: 77_000 };

/**
 * One who lists ten short sessions of another tenant, again and again: the milliseconds that each
 * answer took.
 */
const listBeside = async (port: number, isOver: () => boolean): Promise<number[]> => {
  const times: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    const headers = { 'X-API-KEY': 'small', Connection: 'close' };
    const { status, text } = await send(`http://127.0.0.1:${port}`, '/sessions', { headers });
    times.push(performance.now() - began);
    expect([status, JSON.parse(text).length]).toEqual([200, 10]);
  }
  return times.sort((a, b) => a - b);
};

const usedMib = async (client: Redis, field: string): Promise<number> => {
  const [, used] = new RegExp(`${field}:(\\d+)`).exec(await client.info('memory')) ?? [];
  return Number(used) / MIB;
};

describe('fifty connections with four hundred requests each for the largest pages', () => {
  let server: Worker;
  let attack: Worker;
  beforeAll(async () => {
    server = await bundleWorker('large-pages-server');
    attack = await bundleWorker('large-pages-attack');
  });

  const trial = async (place: string, watch?: () => Promise<void>) => {
    const args = [place, String(LARGE.sessions), String(LARGE.bytes)];
    const child = fork(server.file, args, { execArgv: [`--max-old-space-size=${HEAP_MIB}`] });
    const ended = once(child, 'exit');
    try {
      const port = Number((await once(child, 'message'))[0]);
      const whole = await send(`http://127.0.0.1:${port}`, `/sessions?limit=${LARGE.sessions}`, {
        headers: { 'X-API-KEY': 'large' },
      });
      expect(whole.status).toBe(200);
      expect(whole.text.length).toBeGreaterThan(7.4 * MIB);
      const over = performance.now() + SECONDS * 1000;
      const isOver = () => performance.now() > over;
      const attacker = fork(attack.file, [String(port), String(LARGE.sessions)]);
      const watching = (async () => {
        while (watch !== undefined && !isOver()) await watch();
      })();
      const times = await listBeside(port, isOver);
      await watching;
      attacker.disconnect();
      await once(attacker, 'exit');
      expect(child.exitCode).toBeNull();
      const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
      const where = place === 'memory' ? 'memory' : 'Redis';
      record({
        promise: PROMISE,
        figure: `concurrent lists of another tenant, ${where}`,
        value: times.length,
      });
      record({
        promise: PROMISE,
        figure: `their 99th percentile in ms, ${where}`,
        value: p99.toFixed(0),
        bar: 'under 250',
      });
    } finally {
      child.disconnect();
      await ended;
    }
  };

  test('neither exhaust 1 GiB of heap nor block other clients, with sessions in memory', () =>
    trial('memory'));

  describeWithRedis('on Redis', () => {
    test('neither exhaust 1 GiB of heap nor grow Redis', async () => {
      const redis = await startRedis();
      const client = new Redis(redis.port, '127.0.0.1');
      let [before, most] = [0, 0];
      try {
        await trial(String(redis.port), async () => {
          const used = await usedMib(client, 'used_memory');
          before ||= used;
          most = Math.max(most, used);
          await new Promise((resolve) => setTimeout(resolve, 50));
        });
        const growth = most - before;
        const bar = `under ${MAX_REDIS_GROWTH_MIB}`;
        record({ promise: PROMISE, figure: 'growth of Redis, MiB', value: growth.toFixed(0), bar });
        expect(growth).toBeLessThan(MAX_REDIS_GROWTH_MIB);
      } finally {
        client.disconnect();
        await redis.stop();
      }
    });
  });
});
