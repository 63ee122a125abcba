import { describe, expect, test } from 'vitest';
import { createSweeper, SessionService } from '../../../src/index.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import {
  ended,
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  say,
  TENANT,
  upTo,
} from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { answerOf, dueOf } from '../../support/older-port/steps.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { replaceUnread } from '../../support/replace-unread.js';
import { ada, okOf } from '../../support/sessions.js';
import { type TodaysRedisStore, todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');
const head = headOf('one');
const labels = { user: 'u1', channel: 'web' };
const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 500 };

let prefixes = 0;

describeWithRedis('commands that are sent to Redis', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const open = (reportEnds = false) => {
      prefixes += 1;
      const prefix = `commands-${process.pid}-${version}-${prefixes}`;
      const client = openClient(version, { port });
      const sent: string[] = [];
      const counted = intercepting(client, (name, _, run) => {
        sent.push(name);
        return run();
      });
      const store = todaysRedisStore({
        client: counted,
        prefix,
        events: true,
        reportEnds,
      });
      const commandsOf = async (work: () => PromiseLike<unknown>): Promise<readonly string[]> => {
        sent.length = 0;
        await work();
        return [...sent];
      };
      return { store, commandsOf, client, prefix };
    };

    const idle = live('IDLE', { labels, deadline: NOON + 1000 });
    const active = live('ACTIVE', { labels, deadline: NOON + 3000 });
    const released = { ...lease, until: 0, releasedAt: NOON };
    /** The states of a session, each with the next revision. */
    const states = [
      { ...active, deadline: NOON + 2000, revision: 2 },
      live('PAUSED', { labels, revision: 3 }),
      { ...active, revision: 4 },
      { ...active, revision: 5, work: { lease } },
      { ...active, revision: 6, work: { lease: released } },
      ended('failed', { labels, revision: 7 }),
      ended('failed', { revision: 8, labels: { user: 'u2', title: 'Tax return' } }),
    ] as const;
    const [started, paused, resumed, leased, free, failed, relabelled] = states;

    /** Every change there is, with its deadlines, labels, statuses and events. */
    const changes = (
      store: TodaysRedisStore,
    ): Readonly<Record<string, () => PromiseLike<unknown>>> => {
      const change = (next: StateRecord, previous: StateRecord) => () =>
        answerOf(replaceUnread(store.port, key, next, previous));
      const named = { entries: [say('you')], now: NOON, operation: operationOf('op') };
      return {
        create: () => answerOf(store.insert(TENANT, head, idle)),
        start: change(started, idle),
        append: () => answerOf(store.append(key, { entries: [say('hello')], now: NOON })),
        'append with an operation id': () => answerOf(store.append(key, named)),
        'the same again': () => answerOf(store.append(key, named)),
        pause: change(paused, started),
        resume: change(resumed, paused),
        lease: change(leased, resumed),
        'append of the holder': () =>
          answerOf(store.append(key, { entries: [say('mine')], now: NOON, fencingToken: 3 })),
        release: change(free, leased),
        move: () =>
          answerOf(
            store.change({
              key,
              guards: { dueAt: NOON + 3000 },
              effects: { dueAt: NOON + 2500 },
            }),
          ),
        end: change(failed, free),
        relabel: change(relabelled, failed),
        delete: () => answerOf(store.remove(key)),
      };
    };

    test('each change is one command, with its lists, its deadline and its event', async () => {
      const { store, commandsOf, client, prefix } = open();
      // The server knows the scripts from here on.
      for (const change of Object.values(changes(store))) await change();
      for (const [name, change] of Object.entries(changes(store))) {
        // A removal marks the session first, and then deletes it.
        const expected = name === 'delete' ? ['evalsha', 'evalsha'] : ['evalsha'];
        expect([name, await commandsOf(change)]).toEqual([name, expected]);
        expect(await missingEntries(client, { prefix })).toEqual([]);
      }
      const { events } = await answerOf(
        store.events?.read(store.events.streamOf(TENANT), '0', 100) ?? noEvents(),
      );
      const numbers = upTo(12).map((at) => at + 1);
      expect(events.map(({ sequence }) => sequence)).toEqual([...numbers, ...numbers]);
      expect(await dueOf(store, NOON + 10_000, 10)).toEqual([]);
    });

    test.each([
      [
        'that another process wrote last reads its state, and writes with one command',
        ['get', 'evalsha'],
      ],
      ['that this process wrote last is one command', ['evalsha']],
    ])('an operation of a session %s', async (_, expected) => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const openService = () =>
        new SessionService({ store: store.port, clock, idleTimeout: 60, retention: 60 });
      let sessions = openService();
      const operations = (
        ids: readonly [string, string],
      ): Readonly<Record<string, () => PromiseLike<unknown>>> => ({
        start: () => okOf(sessions.start(ids[0])),
        'start with an operation id': () => okOf(sessions.start(ids[1], { operationId: 'op' })),
        pause: () => okOf(sessions.pause(ids[0])),
        resume: () => okOf(sessions.resume(ids[0])),
        lease: () => okOf(sessions.lease(ids[0], { holder: 'worker', seconds: 10 })),
        terminate: () => okOf(sessions.terminate(ids[0])),
        fail: () => okOf(sessions.fail(ids[1])),
      });
      const writes: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const ids = [
          (await okOf(sessions.create(ada))).id,
          (await okOf(sessions.create(ada))).id,
        ] as const;
        for (const [name, operation] of Object.entries(operations(ids))) {
          if (expected.length === 2) sessions = openService();
          const sent = await commandsOf(operation);
          if (round === 1) expect([name, sent]).toEqual([name, expected]);
        }
        const alone = {
          create: () =>
            okOf(
              sessions.create({ ...ada, labels: { user: 'u1' }, idempotencyKey: `key ${round}` }),
            ),
          delete: () => okOf(sessions.delete(ids[0])),
        };
        for (const [name, operation] of Object.entries(alone)) {
          const sent = await commandsOf(operation);
          if (round === 1) writes.push(`${name}: ${sent.join(' ')}`);
        }
      }
      expect(writes).toEqual(['create: evalsha', 'delete: evalsha evalsha']);
    });

    test('of changes that travel together, one that is refused spoils no other', async () => {
      const { store, client, prefix, commandsOf } = open();
      const ids = ['one', 'broken', 'three'];
      for (const id of ids) await answerOf(store.insert(TENANT, headOf(id), live('ACTIVE')));
      const [record = ''] = [await client.call('KEYS', `${prefix}:*:record:*:broken`)]
        .flat()
        .map(String)
        .slice(-1);
      await client.call('DEL', record);
      await client.call('RPUSH', record, 'a list');
      const append = (id: string) =>
        store.append(keyOf(id), { entries: [say('hello')], now: NOON });
      const outcomes: string[] = [];
      const work = async () => {
        for (const answer of await Promise.all(ids.map(append))) {
          outcomes.push(answer.isOk() ? answer.value.outcome : answer.error.type);
        }
      };
      expect(await commandsOf(work)).toEqual(['evalsha']);
      expect(outcomes).toEqual(['appended', 'corrupt_record', 'appended']);
    });

    test('an append through a service is one command, whatever the length of the history', async () => {
      const { store, commandsOf } = open();
      const sessions = new SessionService({ store: store.port });
      const { id } = await okOf(sessions.create(ada));
      await okOf(sessions.start(id));
      const hello = [{ role: 'user', content: 'hello' }];
      await okOf(sessions.append(id, hello));
      for (const length of [10, 100, 1000]) {
        for (let count = 0; count < length / 10; count += 1)
          await okOf(sessions.append(id, Array(10).fill(hello[0])));
        expect(await commandsOf(() => okOf(sessions.append(id, hello)))).toEqual(['evalsha']);
        const named = { operationId: `op-${length}` };
        expect(await commandsOf(() => okOf(sessions.append(id, hello, named)))).toEqual([
          'evalsha',
        ]);
        expect(await commandsOf(() => okOf(sessions.append(id, hello, named)))).toEqual([
          'evalsha',
        ]);
      }
    });

    test('a sweep writes once to end a session, once to report its end, and once to delete it', async () => {
      const { store, commandsOf } = open(true);
      const clock = new ManualClock();
      const sessions = new SessionService({ store: store.port, clock, retention: 60 });
      const sweeper = createSweeper(sessions, { onEnded: () => undefined });
      const startOne = async (): Promise<string> => {
        const { id } = await okOf(sessions.create({ ...ada, timeLimit: 1 }));
        await okOf(sessions.start(id));
        return id;
      };
      // The server learns the scripts.
      const first = await startOne();
      clock.pass(1000);
      await okOf(sweeper.sweepOnce());
      await okOf(sessions.delete(first));
      await startOne();
      clock.pass(1000);
      const read = ['zrangebyscore', 'zrangebyscore', 'get'];
      // The service reads the state again before it stores that the end was reported.
      const reported = ['evalsha', 'get', 'evalsha'];
      expect(await commandsOf(() => okOf(sweeper.sweepOnce()))).toEqual([...read, ...reported]);
      clock.pass(60_000);
      const removed = ['evalsha', 'evalsha'];
      expect(await commandsOf(() => okOf(sweeper.sweepOnce()))).toEqual([...read, ...removed]);
    });

    test('changes that are made in the same turn travel together, and one that is alone leaves at once', async () => {
      const { store, commandsOf } = open();
      const ids = upTo(20).map((at) => `s${at}`);
      await Promise.all(
        ids.map((id) => answerOf(store.insert(TENANT, headOf(id), live('ACTIVE')))),
      );
      const append = (id: string) =>
        answerOf(store.append(keyOf(id), { entries: [say('hello')], now: NOON }));
      expect(await commandsOf(() => append('s0'))).toEqual(['evalsha']);
      expect(await commandsOf(() => Promise.all(ids.slice(0, 16).map(append)))).toEqual([
        'evalsha',
      ]);
      expect(await commandsOf(() => Promise.all(ids.map(append)))).toEqual(['evalsha', 'evalsha']);
    });

    test('an end that need not be reported takes no command of its own', async () => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const sessions = new SessionService({ store: store.port, clock });
      const { id } = await okOf(sessions.create({ ...ada, timeLimit: 1 }));
      await okOf(sessions.start(id));
      clock.pass(1000);
      const sweep = () => okOf(createSweeper(sessions).sweepOnce());
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore', 'zrangebyscore', 'get', 'evalsha']);
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore']);
    });
  });
});

const noEvents = (): never => {
  throw new Error('the store has no events');
};
