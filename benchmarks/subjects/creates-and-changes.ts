import type { Redis } from 'ioredis';
import { RedisSessionStore, SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { loadScript } from './scripts.js';
import { type Context, expect, must, type Suite } from './suite.js';

const CREATE = { face: 'ada', profile: 'tutor', behavior: 'Be kind.', context: '', timeLimit: 600 } as const;

/** About as many bytes as the engine keeps of such a session. */
const RECORD = 'x'.repeat(330);

const TENANT = 'changes';

const SET_AND_ZADD = 'SET and ZADD in one flight';
const GET_AND_SET = 'GET, then EVALSHA of a bare SET';

const creating = (redis: Redis, sessions: SessionService): readonly Subject[] => {
  let count = 0;
  return [
    {
      name: SET_AND_ZADD,
      call: () => {
        count += 1;
        return Promise.all([redis.set(`bare:${count}`, RECORD), redis.zadd('bare', count, `${count}`)]);
      },
    },
    {
      name: 'create',
      call: () => must(sessions.create(CREATE)),
      check: async () =>
        expect((await must(sessions.list({ limit: 1 }))).sessions[0]?.status === 'IDLE', 'it is there'),
    },
  ];
};

/** A change that a session takes once: each turn has sessions of its own, made before it. */
const changing = (name: 'start' | 'pause' | 'terminate', sessions: SessionService, count: number): Subject => {
  const ids: string[] = [];
  const make = async (): Promise<void> => {
    const { id } = await must(sessions.create(CREATE));
    if (name === 'pause') await must(sessions.start(id));
    ids.push(id);
  };
  return {
    name,
    renew: async () => {
      for (const id of ids.splice(0)) await must(sessions.delete(id));
      while (ids.length < count) await Promise.all(Array.from({ length: 100 }, make));
    },
    call: () => {
      const id = ids.pop();
      if (id === undefined) throw new Error('more sessions are needed');
      return must(sessions[name](id));
    },
  };
};

async function* groups({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const sessions = new SessionService({ store }).forTenant(TENANT);
  for (const callers of [1, 32]) {
    yield { name: 'redis create', callers, limits: [SET_AND_ZADD], subjects: creating(redis, sessions) };
    await redis.flushdb();
  }
  const set = await loadScript(redis, "return redis.call('SET', KEYS[1], ARGV[1])");
  const count = quick ? 1000 : 6000;
  yield {
    name: 'redis start, pause and terminate',
    callers: 1,
    limits: [GET_AND_SET],
    subjects: [
      { name: GET_AND_SET, call: async () => set(['bare'], [(await redis.get('bare')) ?? RECORD]) },
      changing('start', sessions, count),
      changing('pause', sessions, count),
      changing('terminate', sessions, count),
    ],
  };
  await redis.flushdb();
}

export const changes: Suite = { name: 'redis-changes', groups };
