import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { ResultAsync } from 'neverthrow';
import { MemorySessionStore, RedisSessionStore, SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSession, seedSessions } from '../seed.js';
import type { Context, Suite } from './suite.js';

const ENTRY = [{ role: 'user', content: 'Could you tell me how long the appointment takes before we go on?' }];

const must = async <T>(answer: ResultAsync<T, { readonly message: string }>): Promise<T> => {
  const result = await answer;
  if (result.isErr()) throw new Error(result.error.message);
  return result.value;
};

/** A script that does the one write and nothing else: the least that an atomic write costs. */
const bare = (redis: Redis, lua: string) => {
  const sha1 = createHash('sha1').update(lua).digest('hex');
  return async (keys: readonly string[], args: readonly string[]): Promise<unknown> =>
    redis.evalsha(sha1, keys.length, ...keys, ...args);
};

const loadScript = async (redis: Redis, lua: string) => {
  await redis.script('LOAD', lua);
  return bare(redis, lua);
};

const bytesOfAppend = `${JSON.stringify({ ...ENTRY[0], timestamp: '2026-01-31T18:00:02.000Z' })},\n"Uakgb_J5m9g-",\n`;

async function* redisAppends({ redis, quick }: Context): AsyncGenerator<Group> {
  const sessions = new SessionService({ store: new RedisSessionStore({ client: redis }) });
  const append = await loadScript(redis, "return redis.call('APPEND', KEYS[1], ARGV[1])");
  for (const callers of [1, 32]) {
    const id = await seedSession(sessions, 10, callers);
    yield {
      name: 'redis append to one session',
      callers,
      limit: 'EVALSHA of a bare APPEND',
      subjects: [
        { name: 'EVALSHA of a bare APPEND', call: () => append([`bare-${callers}`], [bytesOfAppend]) },
        { name: 'append', call: () => must(sessions.append(id, ENTRY)) },
      ],
    };
  }
  yield* appendsByLength('redis', sessions, quick);
  await redis.flushdb();
}

/** Histories of different lengths. Short ones are many, so that none of them becomes long while it is measured. */
async function* appendsByLength(store: string, sessions: SessionService, quick: boolean): AsyncGenerator<Group> {
  const lengths = quick ? [10, 1000, 10_000] : [10, 1000, 100_000];
  const byLength: { length: number; ids: readonly string[] }[] = [];
  for (const length of lengths) {
    const ids = length === 10 ? await seedSessions(sessions, 2000, 10) : [await seedSession(sessions, length, length)];
    byLength.push({ length, ids });
  }
  const subject =
    (named: boolean) =>
    ({ length, ids }: (typeof byLength)[number]): Subject => {
      let count = 0;
      return {
        name: `${length} entries`,
        call: () => {
          count += 1;
          const id = ids[count % ids.length] ?? '';
          return must(sessions.append(id, ENTRY, named ? { operationId: `append-${count}` } : {}));
        },
      };
    };
  const limit = '10 entries';
  yield { name: `${store} append by length of history`, callers: 1, limit, subjects: byLength.map(subject(false)) };
  yield { name: `${store} append with an operationId`, callers: 1, limit, subjects: byLength.map(subject(true)) };
}

async function* memoryAppends({ quick }: Context): AsyncGenerator<Group> {
  yield* appendsByLength('memory', new SessionService({ store: new MemorySessionStore() }), quick);
}

const alternating = (sessions: SessionService, id: string): (() => Promise<unknown>) => {
  let paused = false;
  return () => {
    paused = !paused;
    return must(paused ? sessions.pause(id) : sessions.resume(id));
  };
};

const CREATE = { face: 'ada', profile: 'tutor', behavior: 'Be kind.', context: '', timeLimit: 600 } as const;

async function* redisOthers({ redis }: Context): AsyncGenerator<Group> {
  const sessions = new SessionService({ store: new RedisSessionStore({ client: redis }) });
  const [id = ''] = await seedSessions(sessions, 1000, 10);
  const found = await sessions.get(id);
  const text = JSON.stringify(found.unwrapOr(undefined));
  await redis.set('joined-session', text);
  const set = await loadScript(redis, "return redis.call('SET', KEYS[1], ARGV[1])");
  const insert = await loadScript(redis, "return redis.call('MSET', KEYS[1], ARGV[1], KEYS[2], ARGV[2])");
  const state = 'x'.repeat(100);
  let count = 0;
  for (const callers of [1, 32]) {
    yield {
      name: 'redis get, 10 entries',
      callers,
      limit: 'GET and JSON.parse',
      subjects: [
        { name: 'GET and JSON.parse', call: async () => JSON.parse((await redis.get('joined-session')) ?? '') },
        { name: 'get, history looked at', call: async () => (await must(sessions.get(id))).history.length },
      ],
    };
    yield {
      name: 'redis create',
      callers,
      limit: 'EVALSHA of a bare MSET',
      subjects: [
        {
          name: 'EVALSHA of a bare MSET',
          call: () => {
            count += 1;
            return insert([`state-${count}`, `journal-${count}`], [state, state + state]);
          },
        },
        { name: 'create', call: () => must(sessions.create(CREATE)) },
      ],
    };
  }
  yield {
    name: 'redis pause and resume',
    callers: 1,
    limit: 'GET, then EVALSHA of a bare SET',
    subjects: [
      {
        name: 'GET, then EVALSHA of a bare SET',
        call: async () => set(['bare'], [(await redis.get('bare')) ?? state]),
      },
      { name: 'pause and resume', call: alternating(sessions, id) },
    ],
  };
  await redis.flushdb();
}

async function* memoryOthers(): AsyncGenerator<Group> {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const [id = ''] = await seedSessions(sessions, 1000, 10);
  const map = new Map([[id, {}]]);
  const disposable = new SessionService({ store: new MemorySessionStore() });
  const createAndDelete = async () => {
    const created = await must(disposable.create(CREATE));
    return must(disposable.delete(created.id));
  };
  yield {
    name: 'memory get, create, pause and resume',
    callers: 1,
    limit: 'awaited Map.get',
    subjects: [
      { name: 'awaited Map.get', call: async () => map.get(id) },
      { name: 'get', call: () => must(sessions.get(id)) },
      { name: 'create, then delete', call: createAndDelete },
      { name: 'pause and resume', call: alternating(sessions, id) },
    ],
  };
}

export const writeSuites: readonly Suite[] = [
  { name: 'redis-append', groups: redisAppends },
  { name: 'memory-append', groups: memoryAppends },
  { name: 'redis-others', groups: redisOthers },
  { name: 'memory-others', groups: memoryOthers },
];
