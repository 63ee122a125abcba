import RedisMock from 'ioredis-mock';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSessionHandler, type HandlerRequest } from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { hostileNames } from '../../../src/testing/hostile-texts.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { ada, call, okOf } from '../../support/sessions.js';
import { effort, record, seeds, triedClients } from '../support/effort.js';

const PROMISE = 'nobody reads or writes what is another tenant’s';
const PAIRS = effort(10, 2000);

/** What one tenant can try on a session that is another's. */
const operations: readonly (readonly [
  operation: Parameters<typeof call>[1],
  ...rest: readonly unknown[],
])[] = [
  ['get'],
  ['start'],
  ['pause', { operationId: 'mine' }],
  ['resume'],
  ['terminate'],
  ['fail', { operationId: 'mine' }],
  ['append', [{ role: 'user', content: 'not mine' }]],
  ['append', [{ role: 'user', content: 'not mine' }], { operationId: 'mine' }],
];

const request = (method: string, url: string): HandlerRequest => ({
  method,
  url,
  prefix: '',
  header: (name) => (name === 'x-api-key' ? 'theirs' : undefined),
  body: async () => ({ outcome: 'read', bytes: new Uint8Array() }),
});

/** Tries every operation of `theirs` on the sessions of `ours`, which must stay unchanged. */
const tryEverything = async (
  store: SessionStore,
  ours: string,
  theirs: string,
  id: string,
): Promise<void> => {
  const sessions = new SessionService({ store, ids: { next: () => id } });
  const [mine, others] = [sessions.forTenant(ours), sessions.forTenant(theirs)];
  await okOf(mine.create(ada));
  await okOf(mine.start(id));
  await okOf(mine.append(id, [{ role: 'user', content: 'mine' }], { operationId: 'mine' }));
  const before = await okOf(mine.get(id));
  for (const [operation, ...rest] of operations) {
    const answer = await call(others, operation, id, ...rest);
    expect(answer.isErr() && answer.error.type, operation).toBe('not_found');
  }
  await okOf(others.delete(id));
  expect(await okOf(others.list())).toMatchObject({ sessions: [], total: 0 });
  const handler = createSessionHandler({ sessions, authenticate: () => theirs });
  const elsewhere = await handler(request('GET', `/session/${id}`));
  expect(elsewhere).toEqual(await handler(request('GET', '/session/nobody')));
  expect(elsewhere?.status).toBe(404);
  expect((await handler(request('GET', '/sessions')))?.body).toBe('[]');
  const after = await okOf(mine.get(id));
  expect({ ...after, duration: 0, durationMs: 0 }).toEqual({
    ...before,
    duration: 0,
    durationMs: 0,
  });
  expect((await okOf(mine.list())).total).toBe(1);
  await okOf(mine.delete(id));
};

const tryPairs = async (store: SessionStore, pairs: number, name: string): Promise<void> => {
  const [seed = 1] = seeds(1);
  const random = randomFrom(seed);
  const pick = (): string => hostileNames[Math.floor(random() * hostileNames.length)] ?? '';
  for (let pair = 0; pair < pairs; pair += 1) {
    const [ours, theirs] = [pick(), pick()];
    if (ours === theirs) continue;
    await tryEverything(store, ours, theirs, pair % 2 === 0 ? 'same' : `s${pair}`);
  }
  record({
    promise: PROMISE,
    figure: `pairs of hostile tenants with reads or writes across, ${name}`,
    value: 0,
    bar: '0',
  });
  record({ promise: PROMISE, figure: `pairs tried, ${name}`, value: pairs });
};

describe('two tenants with hostile names', () => {
  test("never reach each other's sessions in memory", () =>
    tryPairs(new MemorySessionStore(), PAIRS, 'memory'));

  test(
    "never reach each other's sessions on ioredis-mock",
    () =>
      tryPairs(
        new RedisSessionStore({
          client: new RedisMock(),
          prefix: 'tenants',
          timeoutMs: PATIENT_MS,
        }),
        effort(5, 50),
        'ioredis-mock',
      ),
    120_000,
  );
});

describeWithRedis('two tenants with hostile names on a real Redis', ({ port }) => {
  test.each(triedClients)(
    "never reach each other's sessions with %s",
    async (version) => {
      const client = openClient(version, { port });
      const store = new RedisSessionStore({
        client,
        prefix: `tenants-${process.pid}-${version.at(-1)}`,
        partitions: 3,
        timeoutMs: PATIENT_MS,
      });
      await tryPairs(store, PAIRS, version);
    },
    300_000,
  );
});
