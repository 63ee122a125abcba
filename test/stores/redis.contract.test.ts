import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { afterAll, beforeAll, describe } from 'vitest';
import { moreInCi } from '../support/continuous-integration.js';
import { describeRedisSessionStore } from '../support/describe-redis-session-store.js';
import { describeWithRedis } from '../support/describe-with-redis.js';

describeWithRedis('RedisSessionStore on a real Redis', ({ port, host }) => {
  const connect = {
    'ioredis 5': () => new Redis({ port, host }),
    'ioredis 5 with a keyPrefix': () => new Redis({ port, host, keyPrefix: 'host:' }),
    'ioredis 6': () => new Redis6({ port, host }),
    'ioredis 6 with a keyPrefix': () => new Redis6({ port, host, keyPrefix: 'host:' }),
  };
  // Each version once, with a keyPrefix or without.
  const tried = Object.entries(connect).filter((_, at) => moreInCi(at === 1 || at === 2, true));
  for (const [name, open] of tried) {
    describe(name, () => {
      let clients: readonly [Redis | Redis6, Redis | Redis6];
      beforeAll(() => {
        clients = [open(), open()];
      });
      afterAll(() => Promise.all(clients.map((client) => client.quit())));
      describeRedisSessionStore(() => clients);
    });
  }
});
