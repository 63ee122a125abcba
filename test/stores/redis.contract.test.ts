import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { moreIfLong } from '../support/continuous-integration.js';
import { forFurtherClients } from '../support/contract-cases.js';
import { describeRedisSessionStore } from '../support/describe-redis-session-store.js';
import { describeWithRedis } from '../support/describe-with-redis.js';

describeWithRedis('RedisSessionStore on a real Redis', ({ port, host }) => {
  const connect = {
    'ioredis 5': () => new Redis({ port, host }),
    'ioredis 5 with a keyPrefix': () => new Redis({ port, host, keyPrefix: 'host:' }),
    'ioredis 6': () => new Redis6({ port, host }),
    'ioredis 6 with a keyPrefix': () => new Redis6({ port, host, keyPrefix: 'host:' }),
  };
  // Each version once, with a keyPrefix or without; all four with `npm run test:long`.
  const tried = Object.entries(connect).filter((_, at) => moreIfLong(at === 1 || at === 2, true));
  for (const [at, [name, open]] of tried.entries()) {
    describe(name, () => {
      let clients: readonly [Redis | Redis6, Redis | Redis6];
      beforeAll(() => {
        clients = [open(), open()];
      });
      afterAll(() => Promise.all(clients.map((client) => client.quit())));
      describeRedisSessionStore(() => clients, {
        register: at === 0 ? test : forFurtherClients(test),
      });
    });
  }
});
