import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin } from '../../../src/testing/commits.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';

let prefixes = 0;

describeWithRedis('a list by last update of sessions that were changed manually', ({ port }) => {
  const open = async (count: number) => {
    prefixes += 1;
    const prefix = `damaged-search-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({
      client,
      prefix,
      timeoutMs: PATIENT_MS,
    });
    for (const at of upTo(count)) {
      const state = live('IDLE', { lastActivityAt: NOON + 1000 - at });
      const id = `s${String(at).padStart(3, '0')}`;
      await begin(store, keyOf(id), { head: headOf(id, NOON + at), state });
    }
    const raw = new Redis(port);
    onTestFinished(() => raw.disconnect());
    const keysOf = (id: string) => new Keyspace(prefix, 1).of(keyOf(id));
    const list = () =>
      answerOf(store.page(TENANT, { offset: 0, limit: 10, order: 'updated', now: NOON }));
    const idsOf = async () => (await list()).records.map(({ head }) => head.id);
    return { store, raw, keysOf, list, idsOf };
  };

  test('names unreadable records, and leaves out missing ones', async () => {
    const { raw, keysOf, list } = await open(4);
    await raw.set(keysOf('s001').record, 'junk');
    await raw.del(keysOf('s002').record);
    const page = await list();
    expect(page.records.map(({ head }) => head.id)).toEqual(['s000', 's003']);
    expect([page.unreadable, page.total]).toEqual([['s001'], 3]);
  });

  test('names a record that is not a string', async () => {
    const { raw, keysOf, list } = await open(2);
    await raw.del(keysOf('s001').record);
    await raw.rpush(keysOf('s001').record, 'junk');
    const page = await list();
    expect([page.records.map(({ head }) => head.id), page.unreadable]).toEqual([
      ['s000'],
      ['s001'],
    ]);
  });

  test('ends even if two indexes differ in a creation time', async () => {
    const { store, raw, keysOf } = await open(450);
    await raw.zadd(keysOf('s199').index, NOON - 1000, 's199');
    const status = { anyOf: ['IDLE'], now: NOON } as const;
    const page = await answerOf(
      store.page(TENANT, { offset: 0, limit: 3, order: 'updated', now: NOON, status }),
    );
    expect(page.records.map(({ head }) => head.id)).toEqual(['s000', 's001', 's002']);
  });
});
