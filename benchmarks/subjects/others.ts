import { MemorySessionStore, RedisSessionStore, SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { scattered } from './pages.js';
import { loadScript } from './scripts.js';
import { type Context, expect, must, type Suite } from './suite.js';

const CREATE = { face: 'ada', profile: 'tutor', behavior: 'Be kind.', context: '', timeLimit: 600 } as const;
const SESSIONS = 10_000;
const ENTRIES = 10;

const alternating = (sessions: SessionService, id: string): Subject => {
  let paused = false;
  return {
    name: 'pause and resume',
    call: () => {
      paused = !paused;
      return must(paused ? sessions.pause(id) : sessions.resume(id));
    },
    check: async () =>
      expect((await must(sessions.get(id))).status === (paused ? 'PAUSED' : 'ACTIVE'), 'the state has changed'),
  };
};

const saysAll = (seen: unknown) => expect(seen === ENTRIES, 'every entry was seen');

async function* redisOthers({ redis }: Context): AsyncGenerator<Group> {
  const sessions = new SessionService({ store: new RedisSessionStore({ client: redis }) });
  const ids = await seedSessions(sessions, SESSIONS, ENTRIES);
  const [id = ''] = ids;
  const any = scattered(SESSIONS);
  const session = await must(sessions.get(id));
  const { history, options } = session;
  const text = JSON.stringify({ ...session, options, history });
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
        {
          name: 'GET and JSON.parse',
          call: async () => JSON.parse((await redis.get('joined-session')) ?? ''),
          check: (answer) => expect(JSON.stringify(answer) === text, 'the same bytes'),
        },
        {
          name: 'get, history looked at',
          call: async () => (await must(sessions.get(id))).history.length,
          check: saysAll,
        },
        {
          name: 'get of any session, history looked at',
          call: async () => (await must(sessions.get(ids[any() - 1] ?? ''))).history.length,
          check: saysAll,
        },
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
        {
          name: 'create',
          call: () => must(sessions.create(CREATE)),
          check: async () =>
            expect((await must(sessions.list({ limit: 1 }))).sessions[0]?.status === 'IDLE', 'it is there'),
        },
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
      alternating(sessions, id),
    ],
  };
  await redis.flushdb();
}

async function* memoryOthers(): AsyncGenerator<Group> {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const [id = ''] = await seedSessions(sessions, 1000, ENTRIES);
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
      {
        name: 'get',
        call: () => must(sessions.get(id)),
        check: async () => saysAll((await must(sessions.get(id))).history.length),
      },
      { name: 'create, then delete', call: createAndDelete },
      alternating(sessions, id),
    ],
  };
}

export const otherSuites: readonly Suite[] = [
  { name: 'redis-others', groups: redisOthers },
  { name: 'memory-others', groups: memoryOthers },
];
