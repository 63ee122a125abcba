import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, due, idsOf, put, remove, said } from '../../../src/testing/commits.js';
import {
  ended,
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  TENANT,
  upTo,
} from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend } from '../../support/redis-commits.js';
import { errorOf, okOf } from '../../support/sessions.js';

const nothingWrong = { listed: 0, rescheduled: 0, removed: 0, unreadable: [] };
const hostileNames = [
  'a:b',
  '{x}',
  'st*r',
  'qu?[e]y',
  '%0041',
  '\u{1f600}',
  'line\nfeed',
  ''.padEnd(256, 'x'),
];

const repaired = (store: RedisSessionStore) => okOf(store.repair());

let prefixes = 0;

describeWithRedis('repair', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const isFirst = version === clientVersions[0];
    const few = isFirst ? ['', 'host?[1]*:'] : ['host?[1]*:'];
    describe.each(moreIfLong(few, ['', 'host?[1]*:']))('keyPrefix %j', (keyPrefix) => {
      const open = () => {
        prefixes += 1;
        const prefix = `repair?${process.pid}[${prefixes}]`;
        const client = openClient(version, { port, keyPrefix });
        const store = new RedisSessionStore({ client, prefix, partitions: 3 });
        return { store, client, keys: new Keyspace(prefix, 3) };
      };

      const fill = async (store: SessionStore): Promise<void> => {
        for (const at of upTo(5)) {
          const deadline = at % 2 === 0 ? NOON + 1 + at : Number.POSITIVE_INFINITY;
          const head = headOf(`s${at}`, NOON + at);
          await begin(store, keyOf(head.id), { head, state: live('ACTIVE', { deadline }) });
        }
        await openAppend(store, keyOf('s0'), ['hello'], { operation: operationOf('op') });
      };

      const dueIdsOf = async (store: SessionStore) =>
        (await due(store, NOON + 9)).map(({ id }) => id);

      test('changes nothing in a correct store, whatever the names', async () => {
        const { store } = open();
        await fill(store);
        const state = live('IDLE', { deadline: NOON });
        for (const tenant of hostileNames) {
          for (const id of hostileNames) await begin(store, keyOf(id, tenant), { state });
        }
        await remove(store, keyOf('s1'));
        const sessions = 4 + hostileNames.length ** 2;
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions });
      });

      test('queues sessions with work for workers, and removes sessions without work from the queue', async () => {
        const { store, client, keys } = open();
        await fill(store);
        const lease = {
          holder: 'worker',
          fencingToken: 1,
          takenAt: NOON,
          until: NOON - 1000,
          maxAttempts: 10,
        };
        await put(store, keyOf('s1'), live('ACTIVE', { revision: 2, work: { lease } }));
        await put(store, keyOf('s2'), live('IDLE', { revision: 2, work: { wakeAt: NOON } }));
        await begin(store, keyOf('over'), { state: ended('failed', { work: { wakeAt: NOON } }) });
        let now = NOON + 10;
        /** Of all tenants: a tenant must be noted as waiting too. */
        const claimed = async () => {
          now += 10;
          const claim = () => answerOf(store.take({ now, until: now + 5, limit: 10 }));
          // One of them is claimed alone, because its lease has expired.
          const claims = [await claim(), await claim()];
          return claims.flatMap(({ sessions }) => sessions.map(({ id }) => id));
        };
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions: 6 });
        expect(await claimed()).toEqual(['s1', 's2']);
        const { work, waiting } = keys.tenant(TENANT);
        await client.call('DEL', work, waiting);
        expect(await claimed()).toEqual([]);
        expect(await repaired(store)).toMatchObject({ listed: 2, removed: 0 });
        expect(await claimed()).toEqual(['s1', 's2']);
        await client.call('DEL', waiting);
        expect(await repaired(store)).toMatchObject({ removed: 0 });
        expect((await claimed()).toSorted()).toEqual(['s1', 's2']);
        await client.call('ZADD', work, '1', 's4', '1', 'over', '1', 'gone');
        expect(await repaired(store)).toMatchObject({ removed: 3 });
        expect((await claimed()).toSorted()).toEqual(['s1', 's2']);
      });

      test('lists sessions by their labels again, and removes wrong label entries', async () => {
        const { store, client, keys } = open();
        await fill(store);
        const labelled = live('IDLE', { labels: { channel: 'web', user: 'u:1' } });
        await begin(store, keyOf('labelled'), { state: labelled });
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions: 6 });
        const { labels, index } = keys.of(keyOf('labelled'));
        await client.call('DEL', `${labels}user=u%003a1`);
        const others = ['labelled', 's0', 'gone'].flatMap((id) => [String(NOON), id]);
        await client.call('ZADD', `${labels}user=other`, ...others);
        expect(await repaired(store)).toEqual({
          ...nothingWrong,
          sessions: 6,
          listed: 1,
          removed: 3,
        });
        for (const [value, total] of [
          ['u:1', 1],
          ['other', 0],
        ] as const) {
          const page = await answerOf(
            store.page(TENANT, { offset: 0, limit: 10, labels: { user: value } }),
          );
          expect(page).toMatchObject({ total, unreadable: [] });
        }
        expect(await client.call('EXISTS', `${labels}user=other`, index)).toBe(1);
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions: 6 });
      });

      test('lists and schedules sessions whose index entries are missing', async () => {
        const { store, client, keys } = open();
        await fill(store);
        const { index, deadlines, tenants, idKey: member } = keys.of(keyOf('s2'));
        await client.call('DEL', index, tenants);
        await client.call('ZREM', deadlines, member);
        // Too late, and where there is no deadline.
        await client.call('ZADD', deadlines, String(NOON + 7), 's0');
        await client.call('ZADD', deadlines, String(NOON), 's3');
        expect(await repaired(store)).toEqual({
          ...nothingWrong,
          sessions: 5,
          listed: 5,
          rescheduled: 3,
        });
        expect(await idsOf(store, TENANT)).toEqual(['s4', 's3', 's2', 's1', 's0']);
        expect(await dueIdsOf(store)).toEqual(['s0', 's2', 's4']);
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions: 5 });
      });

      test('removes index entries without a session', async () => {
        const { store, client, keys } = open();
        await fill(store);
        const ghost = keys.of(keyOf('ghost'));
        await client.call('ZADD', ghost.index, String(NOON), ghost.idKey);
        await client.call('ZADD', ghost.deadlines, String(NOON), ghost.idKey);
        await client.call('ZADD', ghost.index, String(NOON), 'no member of ours');
        await client.call('HSET', ghost.operations, 'op', '12');
        const { removed } = await repaired(store);
        expect(removed).toBe(4);
        expect(await idsOf(store, TENANT)).toEqual(['s4', 's3', 's2', 's1', 's0']);
        expect(await dueIdsOf(store)).toEqual(['s0', 's2', 's4']);
        expect(await client.call('EXISTS', ghost.operations)).toBe(0);
      });

      test('names unreadable sessions, and leaves them', async () => {
        const { store, client, keys } = open();
        await fill(store);
        await client.call('SET', keys.of(keyOf('s1')).record, 'nonsense');
        // A history without its record.
        await client.call('DEL', keys.of(keyOf('s0')).record);
        const { unreadable, sessions } = await repaired(store);
        expect(unreadable.map(({ id }) => id).toSorted()).toEqual(['s0', 's1']);
        expect(unreadable.map(({ tenant }) => tenant)).toEqual([TENANT, TENANT]);
        expect(sessions).toBe(5);
        expect(await client.call('GET', keys.of(keyOf('s1')).record)).toBe('nonsense');
        expect(await client.call('EXISTS', keys.of(keyOf('s0')).journal)).toBe(1);
      });

      test('keeps concurrent changes intact', async () => {
        const { store } = open();
        await fill(store);
        const repairs = upTo(20).map(() => repaired(store));
        for (const revision of upTo(20)) {
          const deadline = NOON + 100 + revision;
          await put(store, keyOf('s1'), live('ACTIVE', { revision: revision + 2, deadline }));
          await openAppend(store, keyOf('s0'), [`turn ${revision}`]);
        }
        await put(store, keyOf('s2'), ended('failed', { revision: 2 }));
        await remove(store, keyOf('s4'));
        await Promise.all(repairs);
        expect(await repaired(store)).toEqual({ ...nothingWrong, sessions: 4 });
        expect(await said(store, keyOf('s0'))).toHaveLength(21);
        expect((await due(store, NOON + 200)).map(({ id, dueAt }) => [id, dueAt])).toEqual([
          ['s0', NOON + 1],
          ['s1', NOON + 119],
        ]);
      });
    });
  });

  test('returns an error if the server does not respond', async () => {
    const client = openClient('ioredis 5', { port });
    client.disconnect();
    const error = await errorOf(new RedisSessionStore({ client }).repair());
    expect(error.type).toBe('store_unavailable');
  });
});
