import type { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import {
  MemorySessionStore,
  RedisSessionStore,
  type SessionService,
  type SessionStore,
} from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSession } from '../seed.js';
import { type Context, expect, must, type Suite } from './suite.js';

const ENTRY = [
  { role: 'user', content: 'Could you tell me how long the appointment takes before we go on?' },
];
const ENTRIES = 10;

const appending = (name: string, sessions: SessionService, id: string): Subject => ({
  name,
  call: () => must(sessions.append(id, ENTRY)),
  check: async () =>
    expect((await must(sessions.get(id))).history.length === ENTRIES + 1, 'the entry is there'),
});

/** What telling of changes costs who makes them. */
async function* onAndOff(
  store: string,
  open: (events: boolean) => SessionStore,
): AsyncGenerator<Group> {
  const off = serviceOf(open(false));
  const on = serviceOf(open(true));
  const limit = 'events off';
  for (const callers of [1, 32]) {
    const [offId, onId] = [
      await seedSession(off, ENTRIES, callers),
      await seedSession(on, ENTRIES, callers),
    ];
    const subjects = [appending(limit, off, offId), appending('events on', on, onId)];
    yield { name: `${store} append, events on and off`, callers, limits: [limit], subjects };
  }
}

const redisStore = (client: Redis, events: boolean): SessionStore =>
  new RedisSessionStore({ client, prefix: events ? 'on' : 'off', events });

async function* redisEvents({ redis }: Context): AsyncGenerator<Group> {
  yield* onAndOff('redis', (events) => redisStore(redis, events));
  await redis.flushdb();
}

async function* memoryEvents(): AsyncGenerator<Group> {
  yield* onAndOff('memory', (events) => new MemorySessionStore({ events }));
}

export const eventSuites: readonly Suite[] = [
  { name: 'redis-events', groups: redisEvents },
  { name: 'memory-events', groups: memoryEvents },
];
