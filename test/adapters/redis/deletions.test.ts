import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace, labelKey } from '../../../adapters/redis/keyspace.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import { move, remove } from '../../../src/testing/commits.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openClient } from '../../support/redis-clients.js';
import { ada, okOf } from '../../support/sessions.js';

const TIMEOUT_MS = 500;
/** How long a call is accepted and then recognised: twice the store's timeout, plus two seconds. */
const REMEMBERED_MS = 2 * TIMEOUT_MS + 3000;

/** The result of a sweep that finds nothing. */
const nothing = { ended: 0, reported: 0, deleted: 0, failed: 0 };

let prefixes = 0;

describeWithRedis('a deletion in Redis', ({ port }) => {
  const open = () => {
    prefixes += 1;
    const prefix = `deletions-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const clock = new ManualClock();
    const store = new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT_MS, events: true });
    const sessions = new SessionService({ store, clock }).forTenant('secret-tenant');
    const keysLeft = async () => {
      const found = await client.call('KEYS', `${prefix}:*`);
      const names = (Array.isArray(found) ? found.map(String) : []).toSorted();
      return names.filter((name) => !/:(?:events|deployment)$/.test(name));
    };
    /** Forgets earlier calls, as time does. */
    const forget = async () => {
      for (const name of await keysLeft())
        if (name.includes(':write:')) await client.call('DEL', name);
    };
    const keys = new Keyspace(prefix, 1);
    return { client, clock, store, sessions, keysLeft, forget, keys };
  };

  const filled = async (
    sessions: SessionService,
    labels = { user: 'secret-label' },
  ): Promise<string> => {
    const input = {
      ...ada,
      context: 'secret-context',
      timeLimit: 60,
      labels,
      idempotencyKey: 'secret-key',
    };
    const { id } = await okOf(sessions.create(input));
    await okOf(sessions.start(id));
    const secret = [{ role: 'user', content: 'secret-content' }];
    await okOf(sessions.append(id, secret, { operationId: 'secret-op' }));
    await okOf(sessions.lease(id, { holder: 'secret-holder', seconds: 10 }));
    return id;
  };

  test('leaves two keys that expire and contain nothing of the session', async () => {
    const { client, sessions, keysLeft, forget } = open();
    const id = await filled(sessions);
    await forget();
    await okOf(sessions.delete(id));
    const names = await keysLeft();
    expect(names).toHaveLength(2);
    for (const name of names) {
      const left = `${name} ${await client.call('GET', name)}`;
      expect(left).not.toContain('secret');
      expect(left).not.toContain(id);
      expect(left.length).toBeLessThan(100);
      const ttl = Number(await client.call('PTTL', name));
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(REMEMBERED_MS);
    }
  });

  test('removes its session from the label lists, and no other session', async () => {
    const { client, sessions, keys } = open();
    const kept = (
      await okOf(sessions.create({ ...ada, labels: { user: 'secret-label', channel: 'web' } }))
    ).id;
    const labels = { user: 'secret-label', channel: 'w:\u00E9b', lesson: '%' };
    const id = await filled(sessions, labels);
    await okOf(sessions.delete(id));
    const session = keys.of({ tenant: 'secret-tenant', id });
    for (const [name, value] of Object.entries(labels)) {
      expect(await client.call('ZSCORE', labelKey(session, name, value), session.idKey)).toBeNull();
    }
    const page = await okOf(sessions.list({ labels: { user: 'secret-label' } }));
    expect([page.total, page.sessions.map((each) => each.id)]).toEqual([1, [kept]]);
    expect((await okOf(sessions.list({ labels: { channel: 'web' } }))).total).toBe(1);
  });

  test('leaves nothing for a sweeper to remove, even for many sessions', async () => {
    const { clock, sessions, keysLeft, forget } = open();
    for (const at of upTo(20)) {
      const { id } = await okOf(sessions.create({ ...ada, labels: { user: `${at}` } }));
      await okOf(sessions.delete(id));
    }
    await forget();
    expect(await keysLeft()).toEqual([]);
    clock.pass(60 * 60 * 1000);
    expect(await okOf(createSweeper(sessions).sweepOnce())).toEqual(nothing);
    expect(await keysLeft()).toEqual([]);
  });

  describe('a write marker in Redis', () => {
    test('expires after every change, and contains nothing of the session', async () => {
      const { client, sessions, keysLeft } = open();
      await filled(sessions);
      const writes = (await keysLeft()).filter((name) => name.includes(':write:'));
      expect(writes).toHaveLength(4);
      for (const name of writes) {
        const ttl = Number(await client.call('PTTL', name));
        expect(ttl).toBeGreaterThan(0);
        expect(ttl).toBeLessThanOrEqual(REMEMBERED_MS);
        expect(`${name} ${await client.call('GET', name)}`).not.toContain('secret');
      }
    });

    test('is not stored by a call that changes nothing', async () => {
      const { sessions, keysLeft, forget, store } = open();
      const id = await filled(sessions);
      await forget();
      const before = await keysLeft();
      const secret = [{ role: 'user', content: 'secret-content' }];
      await okOf(sessions.append(id, secret, { operationId: 'secret-op' }));
      await sessions.append(id, secret, { ifPosition: 0 });
      await sessions.append(id, secret, { fencingToken: 99 });
      await sessions.append('nobody', secret);
      await sessions.delete('nobody');
      const key = { tenant: 'secret-tenant', id };
      expect(await remove(store, key, { revision: 99 })).toHaveProperty('guard', 'revision');
      expect(await move(store, key, 1, 2)).toHaveProperty('guard', 'dueAt');
      expect(await keysLeft()).toEqual(before);
    });
  });

  test('allows a repeated create with the same idempotency key to create the session again', async () => {
    const { sessions } = open();
    const id = await filled(sessions);
    await okOf(sessions.delete(id));
    expect(await filled(sessions)).toBe(id);
    expect((await okOf(sessions.get(id))).history).toHaveLength(1);
  });
});

describeWithRedis('a create in Redis that is repeated with its idempotency key', ({ port }) => {
  test('reports and publishes nothing again after the end was reported', async () => {
    const client = openClient('ioredis 6', { port });
    const prefix = `repeated-${process.pid}`;
    const store = new RedisSessionStore({ client, prefix, events: true, reportEnds: true });
    const clock = new ManualClock();
    const sessions = new SessionService({ store, clock, retention: 3600 });
    const told: string[] = [];
    const sweeper = createSweeper(sessions, { onEnded: ({ id }) => told.push(id) });
    const keyed = { ...ada, timeLimit: 60, labels: { user: 'u1' }, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(keyed));
    await okOf(sessions.start(id));
    clock.pass(60_000);
    expect(await okOf(sweeper.sweepOnce())).toMatchObject({ ended: 1, reported: 1 });
    const events = () => client.call('XLEN', `${prefix}:{0}:events`);
    const before = await events();
    expect(before).toBe(3);
    for (const _ of upTo(3)) {
      expect(await okOf(sessions.create(keyed))).toMatchObject({ id, status: 'TERMINATED' });
      clock.pass(60_000);
      expect(await okOf(sweeper.sweepOnce())).toEqual(nothing);
    }
    expect([told, await events()]).toEqual([[id], before]);
    const lists = await Promise.all([sessions.list(), sessions.list({ status: 'TERMINATED' })]);
    expect(lists.map((list) => list._unsafeUnwrap().total)).toEqual([1, 1]);
    clock.pass(3600_000);
    expect(await okOf(sweeper.sweepOnce())).toEqual({ ...nothing, deleted: 1 });
  });
});
