import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { TakeRange } from '../../../src/store/session-store.js';
import { answerOf, errorOf } from '../../../src/testing/answers.js';
import { begin, remove } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, TENANT } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';

const waiting = live('ACTIVE', { work: { wakeAt: NOON } });
const range = { now: NOON, until: NOON + 50, limit: 10 };
const nothing = { ids: [], failed: [] };

let prefixes = 0;

describeWithRedis('Redis claims', ({ port }) => {
  const open = (partitions = 1) => {
    prefixes += 1;
    const prefix = `claims-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({ client, prefix, partitions, timeoutMs: PATIENT_MS });
    const raw = new Redis(port);
    onTestFinished(() => raw.disconnect());
    return { store, client, prefix, raw, keys: new Keyspace(prefix, partitions) };
  };
  const insert = (store: RedisSessionStore, id: string, tenant = TENANT) =>
    begin(store, keyOf(id, tenant), { state: waiting });
  const claimed = async (store: RedisSessionStore, changes: Partial<TakeRange> = {}) => {
    const { sessions, failed } = await answerOf(store.take({ ...range, ...changes }));
    return { ids: sessions.map(({ tenant, id }) => `${tenant} ${id}`), failed };
  };

  test('name a session whose record is damaged, and hide it from other claims until the lease ends', async () => {
    const { store, raw, keys } = open();
    for (const id of ['bad', 'good', 'wrong']) await insert(store, id);
    await raw.set(keys.of(keyOf('bad')).record, 'nonsense');
    await raw.del(keys.of(keyOf('wrong')).record);
    await raw.rpush(keys.of(keyOf('wrong')).record, 'a list');
    const { ids, failed } = await claimed(store, { tenant: TENANT });
    expect(ids).toEqual(['acme good']);
    expect(failed).toMatchObject(['bad', 'wrong'].map((id) => ({ type: 'corrupt_record', id })));
    expect(await claimed(store, { tenant: TENANT, now: NOON + 49 })).toEqual(nothing);
    for (const id of ['bad', 'wrong'])
      expect(await remove(store, keyOf(id))).toEqual({ outcome: 'made' });
    expect(await claimed(store, { now: NOON + 50 })).toEqual({ ids: ['acme good'], failed: [] });
  });

  test('skip sessions that were deleted manually', async () => {
    const { store, raw, keys } = open();
    for (const id of ['gone', 'here']) await insert(store, id);
    await raw.del(keys.of(keyOf('gone')).record);
    expect(await claimed(store)).toEqual({ ids: ['acme here'], failed: [] });
  });

  test('return the same sessions, and no others, if the client sends the claim twice', async () => {
    const { store, client, prefix } = open();
    for (const id of ['one', 'two']) await insert(store, id);
    const twice = intercepting(client, async (name, _, run) => {
      if (name === 'evalsha') await run();
      return run();
    });
    const resending = new RedisSessionStore({ client: twice, prefix, partitions: 1 });
    const { sessions } = await answerOf(resending.take({ ...range, tenant: TENANT, limit: 1 }));
    const record = await answerOf(store.find(keyOf('one'), { historyLimit: 0 }));
    expect(sessions).toEqual([{ ...keyOf('one'), dueAt: NOON, record }]);
    expect(await claimed(store)).toEqual({ ids: ['acme two'], failed: [] });
  });

  test('write nothing if no session waits', async () => {
    const { store, raw, keys } = open();
    await insert(store, 'one');
    const { writes } = keys.tenant(TENANT);
    const before = await raw.keys(`${writes}*`);
    expect(await claimed(store, { tenant: TENANT, now: NOON - 1 })).toEqual(nothing);
    expect(await claimed(store, { tenant: 'nobody' })).toEqual(nothing);
    expect((await raw.keys(`${writes}*`)).toSorted()).toEqual(before.toSorted());
  });

  test('fail for a tenant whose queue has a wrong type, but not for other tenants', async () => {
    const { store, raw, keys } = open();
    const { work, waiting: owners, tenantKey: owner } = keys.tenant(TENANT);
    await insert(store, 'one', 'other');
    await raw.rpush(work, 'a list');
    await raw.zadd(owners, NOON, owner);
    expect(await errorOf(store.take({ ...range, tenant: TENANT }))).toMatchObject({
      outcome: 'not_applied',
    });
    const { ids, failed } = await claimed(store);
    expect([ids, failed]).toMatchObject([['other one'], [{ outcome: 'not_applied' }]]);
  });

  test('count waiting sessions in all partitions up to the limit', async () => {
    const { store } = open(200);
    for (let at = 0; at < 100; at += 1) await insert(store, 'one', `t${at}`);
    const ofAll = { tenant: undefined, now: NOON };
    expect(await answerOf(store.countWaiting({ ...ofAll, limit: 1000 }))).toBe(100);
    expect(await answerOf(store.countWaiting({ ...ofAll, limit: 60 }))).toBe(60);
    expect(await answerOf(store.countWaiting({ ...ofAll, now: NOON - 1, limit: 60 }))).toBe(0);
  });

  test("fail to count waiting sessions if a tenant's queue has a wrong type", async () => {
    const { store, raw, keys } = open();
    await insert(store, 'one');
    const { work } = keys.tenant('other');
    await insert(store, 'one', 'other');
    await raw.del(work);
    await raw.rpush(work, 'a list');
    const ofAll = { tenant: undefined, now: NOON, limit: 10 };
    expect(await errorOf(store.countWaiting(ofAll))).toMatchObject({ outcome: 'not_applied' });
    expect(await answerOf(store.countWaiting({ ...ofAll, tenant: TENANT }))).toBe(1);
  });

  test('skip more ended sessions than one script examines, and remove them from the queue', async () => {
    const { store, raw, keys } = open();
    const over = live('ACTIVE', { work: { wakeAt: NOON - 1 }, deadline: NOON });
    const ids = Array.from({ length: 1200 }, (_, at) => `over-${at}`);
    await Promise.all(ids.map((id) => begin(store, keyOf(id), { state: over })));
    await insert(store, 'live');
    const ofAll = { tenant: undefined, limit: 2000 };
    expect(await answerOf(store.countWaiting({ ...ofAll, now: NOON }))).toBe(1);
    const later = { now: NOON + 60_000, until: NOON + 60_050 };
    expect((await answerOf(store.take({ ...range, ...later }))).hasMore).toBe(true);
    expect((await claimed(store, later)).ids).toEqual(['acme live']);
    expect(await raw.zcard(keys.tenant(TENANT).work)).toBe(1);
    expect(await answerOf(store.countWaiting({ ...ofAll, now: NOON + 60_050 }))).toBe(1);
  });

  test('find the sessions of all tenants in each partition', async () => {
    const { store } = open(3);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const tenant of names) await insert(store, 'one', tenant);
    const { ids } = await claimed(store);
    expect(ids.toSorted()).toEqual(names.map((tenant) => `${tenant} one`));
  });

  test('correct the queue entry of a tenant that is listed too early or has no waiting session', async () => {
    const { store, raw, keys } = open();
    const { waiting: owners, tenantKey: owner } = keys.tenant(TENANT);
    await insert(store, 'one');
    await remove(store, keyOf('one'));
    await raw.zadd(owners, NOON, owner);
    expect(await claimed(store)).toEqual({ ids: [], failed: [] });
    expect(await raw.zscore(owners, owner)).toBeNull();
    await insert(store, 'two');
    expect((await claimed(store)).ids).toEqual(['acme two']);
    expect(Number(await raw.zscore(owners, owner))).toBe(NOON + 50);
  });
});
