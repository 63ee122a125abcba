import type { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import { MemorySessionStore, RedisSessionStore, type SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSession, seedSessions } from '../seed.js';
import { loadScript } from './scripts.js';
import { type Context, expect, must, type Suite } from './suite.js';

const ENTRY = [
  { role: 'user', content: 'Could you tell me how long the appointment takes before we go on?' },
];

/** As many bytes as an append of `ENTRY` adds. */
const BYTES = `${JSON.stringify({ ...ENTRY[0], timestamp: '2026-01-31T18:00:02.000Z' })},\n`;

const lengthOf = async (sessions: SessionService, id: string): Promise<number> =>
  (await must(sessions.get(id))).history.length;

const bareAppend = (
  append: (keys: string[], args: string[]) => Promise<unknown>,
  redis: Redis,
  key: string,
): Subject => ({
  name: 'EVALSHA of a bare APPEND',
  call: () => append([key], [BYTES]),
  check: async () => expect((await redis.strlen(key)) === BYTES.length, 'the bytes are there'),
});

async function* redisAppends({ redis, quick }: Context): AsyncGenerator<Group> {
  const sessions = serviceOf(new RedisSessionStore({ client: redis }));
  const withEvents = serviceOf(
    new RedisSessionStore({ client: redis, prefix: 'told', events: true }),
  );
  const append = await loadScript(redis, "return redis.call('APPEND', KEYS[1], ARGV[1])");
  for (const callers of [1, 32]) {
    const id = await seedSession(sessions, 10, callers);
    const toldId = await seedSession(withEvents, 10, callers);
    yield {
      name: 'redis append to one session',
      callers,
      limits: ['EVALSHA of a bare APPEND'],
      subjects: [
        bareAppend(append, redis, `bare-${callers}`),
        {
          name: 'append',
          call: () => must(sessions.append(id, ENTRY)),
          check: async () => expect((await lengthOf(sessions, id)) === 11, 'the entry is there'),
        },
        {
          name: 'append with events',
          call: () => must(withEvents.append(toldId, ENTRY)),
          check: async () =>
            expect((await lengthOf(withEvents, toldId)) === 11, 'the entry is there'),
        },
      ],
    };
  }
  yield* appendsByLength('redis', sessions, quick);
  await redis.flushdb();
}

/**
 * There are many short histories, so that none becomes long during the measurement; each turn
 * creates them again.
 */
const appending = (sessions: SessionService, length: number, named: boolean): Subject => {
  const count = Math.min(1000, Math.max(1, 10_000 / length));
  let ids: readonly string[] = [];
  let calls = 0;
  const next = (): string => ids[calls % ids.length] ?? '';
  return {
    name: `${length} entries`,
    renew: async () => {
      for (const id of ids) await must(sessions.delete(id));
      ids = await seedSessions(sessions, count, length);
    },
    call: () => {
      calls += 1;
      return must(sessions.append(next(), ENTRY, named ? { operationId: `append-${calls}` } : {}));
    },
    check: async () =>
      expect((await lengthOf(sessions, next())) === length + 1, 'the entry is there'),
  };
};

async function* appendsByLength(
  store: string,
  sessions: SessionService,
  quick: boolean,
): AsyncGenerator<Group> {
  const lengths = quick ? [10, 1000] : [10, 1000, 100_000];
  const subjects = (named: boolean) => lengths.map((length) => appending(sessions, length, named));
  const limits = ['10 entries'];
  yield {
    name: `${store} append by length of history`,
    callers: 1,
    limits,
    subjects: subjects(false),
  };
  yield {
    name: `${store} append with an operationId`,
    callers: 1,
    limits,
    subjects: subjects(true),
  };
}

async function* memoryAppends({ quick }: Context): AsyncGenerator<Group> {
  yield* appendsByLength('memory', serviceOf(new MemorySessionStore()), quick);
}

export const appendSuites: readonly Suite[] = [
  { name: 'redis-append', groups: redisAppends },
  { name: 'memory-append', groups: memoryAppends },
];
