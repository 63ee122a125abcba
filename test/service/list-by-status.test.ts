import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { type ListQuery, SessionService, type SessionStatus } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { createdIn, errorOf, okOf, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const idsOf = async (sessions: SessionService, status: SessionStatus): Promise<readonly string[]> =>
  (await okOf(sessions.list({ status, limit: 100 }))).sessions.map(({ id }) => id).toSorted();

const cases = (open: () => SessionStore): void => {
  test('an overdue session is listed as TERMINATED, and not as ACTIVE, without a sweep', async () => {
    const clock = new ManualClock();
    const sessions = new SessionService({ store: open(), clock, idleTimeout: 3600 });
    const ids = await Promise.all(
      Array.from({ length: 30 }, () => startedIn(sessions, { timeLimit: 60 })),
    );
    const paused = await startedIn(sessions);
    await okOf(sessions.pause(paused));
    const endless = await startedIn(sessions);
    clock.pass(59_999);
    expect(await idsOf(sessions, 'ACTIVE')).toEqual([...ids, endless].toSorted());
    expect(await idsOf(sessions, 'TERMINATED')).toEqual([]);
    clock.pass(1);
    expect(await idsOf(sessions, 'TERMINATED')).toEqual(ids.toSorted());
    expect(await idsOf(sessions, 'ACTIVE')).toEqual([endless]);
    clock.pass(3_600_000);
    expect(await idsOf(sessions, 'PAUSED')).toEqual([]);
    const page = await okOf(sessions.list({ status: 'TERMINATED', limit: 10 }));
    expect([page.total, page.sessions.length]).toEqual([31, 10]);
    expect(page.sessions.every(({ status }) => status === 'TERMINATED')).toBe(true);
  });

  test('several statuses form one list with one total, ordered by creation or last update', async () => {
    const clock = new ManualClock();
    const sessions = new SessionService({ store: open(), clock });
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      clock.pass(1000);
      ids.push(await startedIn(sessions, { timeLimit: at === 5 ? 60 : 600 }));
    }
    for (const at of [1, 4, 7]) {
      clock.pass(1000);
      await okOf(sessions.pause(ids[at] ?? ''));
    }
    for (const at of [2, 8]) {
      clock.pass(1000);
      await okOf(sessions.terminate(ids[at] ?? ''));
    }
    clock.pass(60_000);
    const status = ['PAUSED', 'ACTIVE', 'PAUSED'] as const;
    const listed = async (query: ListQuery) => {
      const page = await okOf(sessions.list({ status, ...query }));
      return [page.total, page.sessions.map(({ id }) => ids.indexOf(id))] as const;
    };
    expect(await listed({})).toEqual([9, [11, 10, 9, 7, 6, 4, 3, 1, 0]]);
    expect(await listed({ order: 'oldest', limit: 4, page: 2 })).toEqual([9, [6, 7, 9, 10]]);
    expect(await listed({ order: 'updated', limit: 5 })).toEqual([9, [7, 4, 1, 11, 10]]);
    expect(await listed({ status: ['TERMINATED'] })).toEqual([3, [8, 5, 2]]);
    expect(await listed({ status: ['TERMINATED', 'IDLE'], order: 'updated' })).toEqual([
      3,
      [5, 8, 2],
    ]);
    expect(await listed({ status: ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'], limit: 1 })).toEqual([
      12,
      [11],
    ]);
    for (const order of ['newest', 'updated'] as const) {
      const met: number[] = [];
      for await (const item of sessions.each({ status, order, limit: 2 }))
        met.push(ids.indexOf(item._unsafeUnwrap().id));
      expect(met).toEqual((await listed({ order, limit: 100 }))[1]);
    }
  });

  test('each() over two statuses yields each session once, though sessions change between them', async () => {
    const sessions = new SessionService({ store: open() });
    const ids = await Promise.all(Array.from({ length: 25 }, () => startedIn(sessions)));
    const met: string[] = [];
    for await (const item of sessions.each({ status: ['ACTIVE', 'PAUSED'], limit: 10 })) {
      met.push(item._unsafeUnwrap().id);
      const [id = ''] = ids.slice((met.length * 7) % 25);
      (await sessions.pause(id)).isOk() || (await okOf(sessions.resume(id)));
    }
    expect(met.toSorted()).toEqual(ids.toSorted());
  });

  test('each() over a status yields each session once, while others change', async () => {
    const sessions = new SessionService({ store: open() });
    const ids = await Promise.all(Array.from({ length: 25 }, () => startedIn(sessions)));
    const met: string[] = [];
    for await (const item of sessions.each({ status: 'ACTIVE', limit: 10 })) {
      const { id } = item._unsafeUnwrap();
      met.push(id);
      await okOf(sessions.terminate(id));
      await createdIn(sessions);
    }
    expect(met.toSorted()).toEqual(ids.toSorted());
    expect(await idsOf(sessions, 'TERMINATED')).toEqual(ids.toSorted());
  });
};

describe('a list by status', () => {
  test.each([
    [[], 'status must be one or several of IDLE, ACTIVE, PAUSED, TERMINATED'],
    ['BUSY', 'status must be one or several of IDLE, ACTIVE, PAUSED, TERMINATED'],
    [null, 'status must be one or several of IDLE, ACTIVE, PAUSED, TERMINATED'],
    [['ACTIVE', 'BUSY'], 'status[1] must be one of IDLE, ACTIVE, PAUSED, TERMINATED'],
    [
      [['ACTIVE'], undefined],
      'status[0] must be one of IDLE, ACTIVE, PAUSED, TERMINATED; status[1] must be one of IDLE, ACTIVE, PAUSED, TERMINATED',
    ],
  ])('rejects %j, with the path of what is wrong', async (status, message) => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const query: object = { status };
    expect(await errorOf(sessions.list(query))).toMatchObject({ type: 'invalid_input', message });
    for await (const item of sessions.each(query))
      expect(item._unsafeUnwrapErr()).toMatchObject({ message });
  });
});

describe('a list by status in memory', () => {
  cases(() => new MemorySessionStore());

  test("omits unreadable sessions, and reveals nothing of another tenant's", async () => {
    const clock = new ManualClock();
    const store = new TextSessionStore();
    const sessions = new SessionService({ store, clock });
    const theirs = await startedIn(sessions.forTenant('globex'), { timeLimit: 1 });
    store.damage({ tenant: 'globex', id: theirs }, 'state');
    const ours = await startedIn(sessions, { timeLimit: 1 });
    clock.pass(5000);
    expect(await idsOf(sessions, 'ACTIVE')).toEqual([]);
    expect(await idsOf(sessions, 'TERMINATED')).toEqual([ours]);
  });

  test.each(['active', 'DONE', '', 5, null])('rejects %j', async (status) => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const error = await errorOf(Reflect.apply(sessions.list, sessions, [{ status }]));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'status' }] });
  });
});

let prefixes = 0;

describeWithRedis('a list by status on Redis', ({ port }) => {
  const open = (): RedisSessionStore => {
    prefixes += 1;
    const client = openClient('ioredis 5', { port });
    return new RedisSessionStore({
      client,
      prefix: `status-${process.pid}-${prefixes}`,
      timeoutMs: PATIENT_MS,
    });
  };
  cases(open);

  test('is corrected by a repair if it contains a session of another status', async () => {
    const client = openClient('ioredis 5', { port });
    const prefix = `status-${process.pid}-wrong`;
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    const sessions = new SessionService({ store });
    const id = await startedIn(sessions);
    await client.call('ZADD', `${prefix}:{0}:paused:default`, '1', id);
    expect(await idsOf(sessions, 'PAUSED')).toEqual([]);
    await client.call('ZADD', `${prefix}:{0}:paused:default`, '1', id);
    expect((await store.repair())._unsafeUnwrap()).toMatchObject({
      sessions: 1,
      listed: 0,
      removed: 1,
    });
  });
});
