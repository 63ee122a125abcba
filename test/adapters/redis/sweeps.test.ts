import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { createSweeper, SessionService, type SweeperOptions } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { due } from '../../../src/testing/commits.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { refusals, refusing } from '../../support/refusing-client.js';
import { createdIn, okOf, startedIn } from '../../support/sessions.js';

const MINUTE = 60_000;

let prefixes = 0;

describeWithRedis('a Redis sweep', ({ port }) => {
  const open = (partitions = 1, retention = 0) => {
    prefixes += 1;
    const prefix = `sweeps-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const clock = new ManualClock();
    // Of no refusal: it counts.
    const counted = refusing(client, { message: '' }, () => false);
    const store = new RedisSessionStore({
      client: counted.client,
      prefix,
      partitions,
      reportEnds: true,
      timeoutMs: PATIENT_MS,
    });
    const sessions = new SessionService({ store, clock, retention });
    const told: string[] = [];
    const errors: string[] = [];
    const sweep = (options: SweeperOptions = {}) =>
      okOf(
        createSweeper(sessions, {
          onEnded: ({ id }) => told.push(id),
          onError: ({ type }) => errors.push(type),
          ...options,
        }).sweepOnce(),
      );
    const keys = new Keyspace(prefix, partitions);
    return { client, clock, store, sessions, sweep, told, errors, keys, sent: counted.sent };
  };

  const startMany = async (sessions: SessionService, count: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, () => startedIn(sessions, { timeLimit: 60 })));

  test('reaches 50 good sessions behind 500 damaged ones, and retries those a minute later', async () => {
    const { client, clock, sessions, sweep, told, errors, keys, sent } = open();
    const damages = [
      ({ record }: { readonly record: string }) => client.call('SET', record, 'what is this?'),
      async ({ record }: { readonly record: string }) => {
        await client.call('DEL', record);
        await client.call('LPUSH', record, 'a list');
      },
    ];
    const bad = await startMany(sessions, 500);
    for (const [at, id] of bad.entries())
      await damages[at % 2]?.(keys.of({ tenant: 'default', id }));
    clock.pass(1);
    const good = await startMany(sessions, 50);
    clock.pass(MINUTE);
    expect(await sweep({ batch: 100 })).toEqual({
      ended: 50,
      reported: 50,
      deleted: 0,
      failed: 500,
    });
    expect(told.toSorted()).toEqual(good.toSorted());
    expect(new Set(errors)).toEqual(new Set(['corrupt_record']));
    const before = sent();
    clock.pass(1000);
    expect(await sweep({ batch: 100 })).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 0 });
    expect(sent() - before).toBeLessThan(10);
    clock.pass(MINUTE);
    expect(await sweep({ batch: 100 })).toMatchObject({ failed: 500 });
  });

  test.each(['record', 'remains'] as const)(
    'reports an end whose %s had a wrong type once it is readable again',
    async (part) => {
      const { client, clock, sessions, sweep, told, errors, keys } = open();
      const [id = ''] = await startMany(sessions, 1);
      await okOf(sessions.terminate(id));
      if (part === 'remains') await okOf(sessions.delete(id));
      const { record } = keys.of({ tenant: 'default', id });
      const pattern = part === 'record' ? record : `${record.replace(':record:', ':remains:')}:*`;
      const [found = ''] = [await client.call('KEYS', pattern)].flat().map(String);
      await client.call('RENAME', found, `${found} of before`);
      await client.call('LPUSH', found, 'a list');
      expect(await sweep()).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 1 });
      expect([told, errors]).toEqual([[], ['corrupt_record']]);
      await client.call('RENAME', `${found} of before`, found);
      clock.pass(MINUTE);
      expect(await sweep()).toEqual({ ended: 0, reported: 1, deleted: 0, failed: 0 });
      expect(told).toEqual([id]);
    },
  );

  test('continues past due keys of a wrong type', async () => {
    const { client, clock, sessions, sweep, told, keys } = open(64);
    const ids: string[] = [];
    for (const tenant of ['broken', 'whole', 'other'])
      ids.push(await startedIn(sessions.forTenant(tenant), { timeLimit: 60 }));
    const { deadlines } = keys.tenant('broken');
    const { tenants } = keys.tenant('other');
    for (const key of [deadlines, tenants]) {
      await client.call('DEL', key);
      await client.call('SET', key, 'a text');
    }
    clock.pass(MINUTE);
    expect(await sweep()).toMatchObject({ ended: 1, failed: 2 });
    expect(told).toEqual([ids[1]]);
  });

  test('keeps lists by status the same before, during and after the report of an end', async () => {
    const { clock, sessions, sweep } = open();
    const ids = await startMany(sessions, 10);
    await startMany(sessions, 1).then(([id = '']) => sessions.pause(id));
    const totals = async () => {
      const all = { IDLE: 0, ACTIVE: 0, PAUSED: 0, TERMINATED: 0 };
      for (const status of ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] as const) {
        const { total, sessions: listed } = await okOf(sessions.list({ status, limit: 100 }));
        expect(listed).toHaveLength(total);
        all[status] = total;
      }
      return all;
    };
    clock.pass(MINUTE);
    const expected = { IDLE: 0, ACTIVE: 0, PAUSED: 1, TERMINATED: ids.length };
    expect(await totals()).toEqual(expected);
    const seen: object[] = [];
    await sweep({
      onEnded: async () => {
        seen.push(await totals());
        throw new Error('not this time');
      },
    });
    expect(seen).toEqual(ids.map(() => expected));
    expect(await totals()).toEqual(expected);
    clock.pass(MINUTE);
    expect(await totals()).toEqual(expected);
    expect(await sweep()).toMatchObject({ reported: 10 });
    expect(await totals()).toEqual(expected);
  });

  test('deletes a session only after its end was reported, however short its retention is', async () => {
    const { clock, sessions, sweep, store } = open(1, 10);
    await startMany(sessions, 3);
    clock.pass(MINUTE);
    // Before that, another process finds nothing due and notes so.
    const onEnded = () => due(store, clock.now());
    expect(await sweep({ onEnded })).toEqual({ ended: 3, reported: 3, deleted: 0, failed: 0 });
    clock.pass(10_000);
    expect(await sweep()).toEqual({ ended: 0, reported: 0, deleted: 3, failed: 0 });
  });

  test('reports an end that was due before repair corrected the indexes', async () => {
    const { clock, sessions, sweep, store, told } = open(1, 3600);
    const ids = await startMany(sessions, 3);
    clock.pass(MINUTE);
    await sweep({ onEnded: () => Promise.reject(new Error('no')) });
    await okOf(store.repair());
    clock.pass(MINUTE);
    expect(await sweep()).toMatchObject({ reported: 3 });
    expect(told.toSorted()).toEqual([...ids].toSorted());
  });

  test('reads each of 4096 partitions once in a round of ten steps if nothing is due', async () => {
    const { store, sessions, clock, sweep, sent } = open(4096);
    // It stores the number of partitions.
    await createdIn(sessions);
    const steps: number[] = [];
    for (let after: string | undefined; ; ) {
      const before = sent();
      const { nextCursor: next } = await answerOf(store.due(clock.now(), 500, after));
      steps.push(sent() - before);
      if (next === undefined) break;
      after = next;
    }
    expect(steps).toHaveLength(10);
    expect(steps.reduce((sum, count) => sum + count, 0)).toBe(4096);
    const before = sent();
    await sweep();
    expect(sent() - before).toBe(4096);
  });

  test('finds due sessions behind many tenants that are listed too early', async () => {
    const { sessions, clock, sweep, told } = open();
    const early = Array.from({ length: 40 }, (_, at) => sessions.forTenant(`early ${at}`));
    for (const theirs of early)
      await okOf(theirs.terminate(await startedIn(theirs, { timeLimit: 60 })));
    clock.pass(1);
    const id = await startedIn(sessions.forTenant('due'), { timeLimit: 60 });
    clock.pass(MINUTE);
    await sweep({ batch: 10 });
    expect(told).toHaveLength(41);
    expect(told).toContain(id);
  });

  test('stops until the next sweep if the server accepts no writes', async () => {
    const { client, clock, sessions, keys } = open();
    await startMany(sessions, 5);
    clock.pass(MINUTE);
    const [prefix = ''] = keys.ofPartition(0, 'tenants').split(':');
    const { NOREPLICAS = { message: '' } } = refusals;
    const refused = refusing(client, NOREPLICAS, (_, command) => command.startsWith('eval'));
    const store = new RedisSessionStore({ client: refused.client, prefix, timeoutMs: PATIENT_MS });
    const failing = new SessionService({ store, clock });
    const report = await okOf(
      createSweeper(failing, { batch: 2, onEnded: () => undefined }).sweepOnce(),
    );
    expect(report).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 2 });
  });
});
