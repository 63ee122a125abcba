import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { randomFrom } from '../random.js';

/**
 * Changes sessions that other processes change too until it is killed, and prints a line for each
 * acknowledged change.
 */
const [port = '', prefix = '', seed = '', ids = ''] = process.argv.slice(2);

const client = new Redis(Number(port));
client.on('error', () => undefined);
const sessions = new SessionService({
  store: new RedisSessionStore({ client, prefix, events: { length: 1_000_000 } }),
});
const known = ids.split(',');
const random = randomFrom(Number(seed));

const change = async (): Promise<void> => {
  for (;;) {
    const id = known[Math.floor(random() * known.length)] ?? '';
    const kind = random();
    const entries = [{ role: 'user', content: `${kind}` }];
    const pausing = kind < 0.05 ? sessions.pause(id) : sessions.resume(id);
    const done = await (kind < 0.1 ? pausing : sessions.append(id, entries));
    if (done.isOk()) process.stdout.write('.\n');
    await sleep(random() * 10);
  }
};

void Promise.all(Array.from({ length: 4 }, change));
