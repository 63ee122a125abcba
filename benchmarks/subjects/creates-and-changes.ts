import type { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import { RedisSessionStore, type SessionService } from '../colloquy.js';
import type { Call, Group, Subject } from '../harness/measure.js';
import { loadScript } from './scripts.js';
import { type Context, type Count, expect, must, type Suite } from './suite.js';

const CREATE = {
  face: 'ada',
  profile: 'tutor',
  behavior: 'Be kind.',
  context: '',
  timeLimit: 600,
} as const;

/** About as many bytes as the engine keeps of such a session. */
const RECORD = 'x'.repeat(330);

const TENANT = 'changes';

const SET_AND_ZADD = 'SET and ZADD in one flight';
const GET_AND_SET = 'GET, then EVALSHA of a bare SET';

const byHand = (redis: Redis): Subject => {
  let count = 0;
  return {
    name: SET_AND_ZADD,
    call: () => {
      count += 1;
      return Promise.all([
        redis.set(`bare:${count}`, RECORD),
        redis.zadd('bare', count, `${count}`),
      ]);
    },
  };
};

/** With events, a status index, a time limit and a label. */
const EVERYTHING_ON = 'create, everything on';

const openAll = (redis: Redis): SessionService => {
  const store = new RedisSessionStore({
    client: redis,
    prefix: 'all',
    events: true,
  });
  return serviceOf(store).forTenant(TENANT);
};

const createAll = (sessions: SessionService) =>
  must(sessions.create({ ...CREATE, labels: { user: 'u-1' } }));

const creating = (redis: Redis, sessions: SessionService): readonly Subject[] => {
  const all = openAll(redis);
  return [
    byHand(redis),
    {
      name: 'create',
      call: () => must(sessions.create(CREATE)),
      check: async () =>
        expect(
          (await must(sessions.list({ limit: 1 }))).sessions[0]?.status === 'IDLE',
          'it is there',
        ),
    },
    {
      name: EVERYTHING_ON,
      call: () => createAll(all),
      check: async () =>
        expect((await must(all.list({ labels: { user: 'u-1' } }))).total > 0, 'its label finds it'),
    },
    {
      name: 'create and start, everything on',
      call: async () => must(all.start((await createAll(all)).id)),
    },
  ];
};

/** A change that a session takes once: each turn has sessions of its own, made before it. */
const changing = (
  name: 'start' | 'pause' | 'terminate',
  sessions: SessionService,
  count: number,
): Subject => {
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
  const sessions = serviceOf(store).forTenant(TENANT);
  for (const callers of [1, 32]) {
    yield {
      name: 'redis create',
      callers,
      limits: [SET_AND_ZADD],
      subjects: creating(redis, sessions),
    };
    await redis.flushdb();
  }
  const set = await loadScript(redis, "return redis.call('SET', KEYS[1], ARGV[1])");
  const count = quick ? 300 : 6000;
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

/** Microseconds of the server's CPU that a call takes, from what the server says of itself. */
const serverUs = async (redis: Redis, call: () => Call, calls: number): Promise<number> => {
  const used = async (): Promise<number> => {
    const info = await redis.info('cpu');
    const seconds = ['used_cpu_user', 'used_cpu_sys'].map((name) =>
      Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]),
    );
    return seconds.reduce((sum, each) => sum + each, 0) * 1e6;
  };
  const before = await used();
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: 32 }, caller));
  return ((await used()) - before) / calls;
};

const counts = async ({ redis, quick }: Context): Promise<readonly Count[]> => {
  const all = openAll(redis);
  const hand = byHand(redis);
  const rounds: number[] = [];
  for (let round = 0; round < (quick ? 1 : 7); round += 1) {
    const limit = await serverUs(redis, () => hand.call(), quick ? 300 : 20_000);
    rounds.push((await serverUs(redis, () => createAll(all), quick ? 300 : 20_000)) / limit);
  }
  await redis.flushdb();
  const [median = Number.NaN] = rounds
    .toSorted((a, b) => a - b)
    .slice(Math.floor(rounds.length / 2));
  return [
    {
      figure: 'server CPU of a create, everything on, of SET and ZADD by hand',
      value: median,
      unit: 'times',
    },
  ];
};

export const changes: Suite = { name: 'redis-changes', groups, counts };
