import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { begin, beginOf, refused, tryBegin } from '../../../src/testing/commits.js';
import { idsOf, pageOf } from '../../../src/testing/page-steps.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { startRedis } from '../../support/redis-server.js';

const LIVE = ['ACTIVE', 'PAUSED', 'ACTIVE'] as const;
const ENDED = 50;
const now = NOON + 1000;

describeWithRedis('overdue sessions in Redis that no sweep has ended', () => {
  describe.each(clientVersions)('%s', (version) => {
    /** A tenant with more ended than live sessions, on a server that counts only this test. */
    const open = async (endedState: StateRecord, count = ENDED) => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const client = openClient(version, { port: server.port });
      const store = new RedisSessionStore({ client, reportEnds: true });
      const beginAt = (id: string, at: number, state: StateRecord) =>
        begin(store, keyOf(id), { head: headOf(id, NOON + at), state });
      await Promise.all(upTo(count).map((at) => beginAt(`ended-${at}`, at, endedState)));
      await Promise.all(LIVE.map((status, at) => beginAt(`live-${at}`, ENDED + at, live(status))));
      const records = async (work: () => Promise<unknown>): Promise<number> => {
        const before = await commandsOf(server.port);
        await work();
        const after = await commandsOf(server.port);
        return (after['getrange'] ?? 0) - (before['getrange'] ?? 0);
      };
      return { client, store, records };
    };

    const reported = ended('terminated', { report: { removal: '1', dueAt: NOON } });
    const overdue = live('ACTIVE', { deadline: NOON + 500 });

    test.each([
      ['terminated', reported],
      ['overdue', overdue],
    ])('never slow down a rejected start: %s sessions', async (_, state) => {
      const { store, records } = await open(state);
      const start = async (sessions: number) => {
        const guards = { live: { sessions, now } };
        const begun = await tryBegin(store, keyOf('next'), { guards });
        expect(begun).toEqual(refused('live'));
      };
      expect(await records(() => start(3))).toBeLessThanOrEqual(3);
      expect(await records(() => start(1))).toBeLessThanOrEqual(3);
    });

    test.each([
      [
        ['ACTIVE', 'PAUSED'],
        ['live-2', 'live-1', 'live-0'],
      ],
      [['PAUSED'], ['live-1']],
      [['TERMINATED'], ['ended-49', 'ended-48']],
      [
        ['TERMINATED', 'PAUSED'],
        ['live-1', 'ended-49'],
      ],
    ] as const)(
      'never slow down a page of %j, even if their sessions are terminated',
      async (anyOf, first) => {
        const { store, records } = await open(reported);
        const list = async () => {
          const page = await pageOf(store, { status: { anyOf, now }, limit: first.length });
          expect(idsOf(page)).toEqual(first);
        };
        expect(await records(list)).toBeLessThanOrEqual(LIVE.length);
      },
    );

    test.each([
      ['many', 50],
      ['few', 2],
    ])('free their places for other sessions: %s overdue sessions', async (_, count) => {
      const { store } = await open(overdue, count);
      await begin(store, keyOf('reported'), { state: reported });
      const start = (id: string) =>
        tryBegin(store, keyOf(id), { guards: { live: { sessions: 5, now } } });
      expect(await start('fourth')).toEqual({ outcome: 'made' });
      expect(await start('fifth')).toEqual({ outcome: 'made' });
      expect(await start('sixth')).toEqual(refused('live'));
    });

    test('fail a call that would have to examine more than 10,000 of them', async () => {
      const { client, store } = await open(overdue);
      const { byStatus, deadlines } = new Keyspace('colloquy', 1).tenant(TENANT);
      const places = upTo(10_000).flatMap((at) => [String(NOON), `missing-${at}`]);
      for (const set of [byStatus.ACTIVE, deadlines]) await client.call('ZADD', set, ...places);
      const guards = { live: { sessions: 4, now } };
      const status = { anyOf: ['PAUSED', 'ACTIVE'], now } as const;
      const answers = [
        await store.begin(beginOf(keyOf('next'), { guards })),
        await store.page(TENANT, { offset: 0, limit: 1, status }),
      ];
      for (const answer of answers)
        expect(answer._unsafeUnwrapErr()).toMatchObject({ message: /run a sweeper/ });
    });
  });
});
