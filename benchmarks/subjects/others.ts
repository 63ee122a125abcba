import { serviceOf } from '../clock.js';
import { MemorySessionStore, RedisSessionStore } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { lookAt, pageText, scattered } from './pages.js';
import { type Context, expect, must, type Suite } from './suite.js';

const CREATE = {
  face: 'ada',
  profile: 'tutor',
  behavior: 'Be kind.',
  context: '',
  timeLimit: 600,
} as const;
const ENTRIES = 10;

const sessionsIn = (quick: boolean): number => (quick ? 200 : 10_000);

const isWhole = (answer: unknown): void =>
  expect(typeof answer === 'number' && answer > 0, 'every entry was seen');

async function* redisGet({ redis, quick }: Context): AsyncGenerator<Group> {
  const sessions = serviceOf(new RedisSessionStore({ client: redis }));
  const total = sessionsIn(quick);
  const ids = await seedSessions(sessions, total, ENTRIES);
  for (const [at, id] of ids.entries())
    await redis.set(`joined:${at}`, pageText([await must(sessions.get(id))]));
  const [any, other] = [scattered(total), scattered(total)];
  const limit = 'GET of the joined session, JSON.parse';
  for (const callers of [32, 1]) {
    yield {
      name: 'redis get of any session, 10 entries',
      callers,
      limits: [limit],
      subjects: [
        {
          name: limit,
          call: async () => lookAt(JSON.parse((await redis.get(`joined:${any() - 1}`)) ?? '')),
        },
        {
          name: 'get',
          call: async () => lookAt([await must(sessions.get(ids[other() - 1] ?? ''))]),
          check: isWhole,
        },
      ],
    };
  }
  await redis.flushdb();
}

async function* memoryOthers({ quick }: Context): AsyncGenerator<Group> {
  const sessions = serviceOf(new MemorySessionStore());
  const total = sessionsIn(quick);
  const ids = await seedSessions(sessions, total, ENTRIES);
  const map = new Map(ids.map((id) => [id, {}]));
  const [any, other] = [scattered(total), scattered(total)];
  const [id = ''] = ids;
  let isPaused = false;
  const createAndDelete = async () => {
    const created = await must(sessions.create(CREATE));
    return must(sessions.delete(created.id));
  };
  const limit = 'awaited Map.get';
  yield {
    name: 'memory get, create, pause and resume',
    callers: 1,
    limits: [limit],
    subjects: [
      { name: limit, call: async () => map.get(ids[any() - 1] ?? '') },
      {
        name: 'get',
        call: async () => lookAt([await must(sessions.get(ids[other() - 1] ?? ''))]),
        check: isWhole,
      },
      { name: 'create, then delete', call: createAndDelete },
      {
        name: 'pause and resume',
        call: () => {
          isPaused = !isPaused;
          return must(isPaused ? sessions.pause(id) : sessions.resume(id));
        },
      },
    ],
  };
}

export const otherSuites: readonly Suite[] = [
  { name: 'redis-get', groups: redisGet },
  { name: 'memory-others', groups: memoryOthers },
];
