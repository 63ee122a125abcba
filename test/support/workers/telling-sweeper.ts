import { writeSync } from 'node:fs';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { type RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { createSweeper } from '../../../src/service/sweeper.js';

/**
 * Sweeps until it is killed, and prints the reported ends: one JSON object a line. Its clock runs
 * `speed` times as fast as the machine's, starting at `began`, like the clocks of all processes of
 * a trial.
 */
const [version = '', port = '', prefix = '', began = '', speed = ''] = process.argv.slice(2);

const client: RedisClient & { on(event: 'error', listener: () => void): unknown } =
  version === 'ioredis 6' ? new Redis6(Number(port)) : new Redis(Number(port));
client.on('error', () => {});

const clock = { now: () => Number(began) + (Date.now() - Number(began)) * Number(speed) };
const store = new RedisSessionStore({
  client,
  prefix,
  timeoutMs: 200,
  reportEnds: true,
});

/** Writes synchronously, so that a kill loses no line. */
const say = (value: object): void => {
  writeSync(1, `${JSON.stringify(value)}\n`);
};

const sweeper = createSweeper(new SessionService({ store, clock }), {
  interval: 0.02,
  batch: 20,
  onEnded: async ({ id }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    // Some listeners fail.
    if (Math.random() < 0.02) throw new Error('no');
    say({ told: id });
  },
  onError: ({ type }) => say({ error: type }),
});
sweeper.start();
