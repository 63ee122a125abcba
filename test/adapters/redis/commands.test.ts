import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { answerOf, dueOf } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { replaceUnread } from '../../support/replace-unread.js';
import { ada, okOf } from '../../support/sessions.js';

const key = keyOf('one');
const head = headOf('one');
const labels = { user: 'u1', channel: 'web' };
const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 500 };

let prefixes = 0;

describeWithRedis('commands that are sent to Redis', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const open = () => {
      prefixes += 1;
      const prefix = `commands-${process.pid}-${version}-${prefixes}`;
      const client = openClient(version, { port });
      const sent: string[] = [];
      const counted = intercepting(client, (name, _, run) => {
        sent.push(name);
        return run();
      });
      const store = new RedisSessionStore({
        client: counted,
        prefix,
        statusIndex: true,
        leaseIndex: true,
        events: true,
      });
      const commandsOf = async (work: () => PromiseLike<unknown>): Promise<readonly string[]> => {
        sent.length = 0;
        await work();
        return [...sent];
      };
      return { store, commandsOf, client, prefix };
    };

    /** Every change there is, with its deadlines, labels, statuses and events. */
    const changes = (store: RedisSessionStore): Readonly<Record<string, () => PromiseLike<unknown>>> => ({
      create: () => answerOf(store.insert(TENANT, head, live('IDLE', { labels, deadline: NOON + 1000 }))),
      start: () => answerOf(replaceUnread(store, key, live('ACTIVE', { labels, revision: 2, deadline: NOON + 2000 }))),
      append: () => answerOf(store.append(key, { entries: [say('hello')], now: NOON })),
      'append with an operation id': () =>
        answerOf(store.append(key, { entries: [say('you')], now: NOON, operation: operationOf('op') })),
      'the same again': () =>
        answerOf(store.append(key, { entries: [say('you')], now: NOON, operation: operationOf('op') })),
      pause: () => answerOf(replaceUnread(store, key, live('PAUSED', { labels, revision: 3 }))),
      resume: () => answerOf(replaceUnread(store, key, live('ACTIVE', { labels, revision: 4, deadline: NOON + 3000 }))),
      lease: () =>
        answerOf(replaceUnread(store, key, live('ACTIVE', { labels, revision: 5, deadline: NOON + 3000, lease }))),
      'append of the holder': () => answerOf(store.append(key, { entries: [say('mine')], now: NOON, fencingToken: 3 })),
      release: () =>
        answerOf(
          replaceUnread(
            store,
            key,
            live('ACTIVE', {
              labels,
              revision: 6,
              deadline: NOON + 3000,
              lease: { ...lease, until: 0, releasedAt: NOON },
            }),
          ),
        ),
      reschedule: () => answerOf(store.reschedule(key, { from: NOON + 3000, to: NOON + 2500 })),
      end: () => {
        const { lease: _, ...state } = live('ACTIVE', { labels, revision: 7 });
        return answerOf(replaceUnread(store, key, { ...state, status: 'TERMINATED', endReason: 'failed' }));
      },
      relabel: () =>
        answerOf(
          replaceUnread(store, key, ended('failed', { revision: 8, labels: { user: 'u2', title: 'Tax return' } })),
        ),
      delete: () => answerOf(store.remove(key)),
    });

    test('each change is one command, with its lists, its deadline and its event', async () => {
      const { store, commandsOf, client, prefix } = open();
      // The server knows the scripts from here on.
      for (const change of Object.values(changes(store))) await change();
      for (const [name, change] of Object.entries(changes(store))) {
        expect([name, await commandsOf(change)]).toEqual([name, ['evalsha']]);
        expect(await missingEntries(client, { prefix, statusIndex: true, leaseIndex: true })).toEqual([]);
      }
      const { events } = await answerOf(store.events?.read(store.events.streamOf(TENANT), '0', 100) ?? noEvents());
      const numbers = upTo(12).map((at) => at + 1);
      expect(events.map(({ sequence }) => sequence)).toEqual([...numbers, ...numbers]);
      expect(await dueOf(store, NOON + 10_000, 10)).toEqual([]);
    });

    test.each([
      ['that another process wrote last reads its state, and writes with one command', ['get', 'evalsha']],
      ['that this process wrote last is one command', ['evalsha']],
    ])('an operation of a session %s', async (_, expected) => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const openService = () => new SessionService({ store, clock, idleTimeout: 60, retention: 60 });
      let sessions = openService();
      const operations = (ids: readonly [string, string]): Readonly<Record<string, () => PromiseLike<unknown>>> => ({
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
        const ids = [(await okOf(sessions.create(ada))).id, (await okOf(sessions.create(ada))).id] as const;
        for (const [name, operation] of Object.entries(operations(ids))) {
          if (expected.length === 2) sessions = openService();
          const sent = await commandsOf(operation);
          if (round === 1) expect([name, sent]).toEqual([name, expected]);
        }
        const alone = {
          create: () => okOf(sessions.create({ ...ada, labels: { user: 'u1' }, idempotencyKey: `key ${round}` })),
          delete: () => okOf(sessions.delete(ids[0])),
        };
        for (const [name, operation] of Object.entries(alone)) {
          const sent = await commandsOf(operation);
          if (round === 1) writes.push(`${name}: ${sent.join(' ')}`);
        }
      }
      expect(writes).toEqual(['create: evalsha', 'delete: evalsha']);
    });

    test('an append through a service is one command, whatever the length of the history', async () => {
      const { store, commandsOf } = open();
      const sessions = new SessionService({ store });
      const { id } = await okOf(sessions.create(ada));
      await okOf(sessions.start(id));
      const hello = [{ role: 'user', content: 'hello' }];
      await okOf(sessions.append(id, hello));
      for (const length of [10, 100, 1000]) {
        for (let count = 0; count < length / 10; count += 1) await okOf(sessions.append(id, Array(10).fill(hello[0])));
        expect(await commandsOf(() => okOf(sessions.append(id, hello)))).toEqual(['evalsha']);
        const named = { operationId: `op-${length}` };
        expect(await commandsOf(() => okOf(sessions.append(id, hello, named)))).toEqual(['evalsha']);
        expect(await commandsOf(() => okOf(sessions.append(id, hello, named)))).toEqual(['evalsha']);
      }
    });

    test('a sweep writes once to end a session, twice to report its end, and once to delete it', async () => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const sessions = new SessionService({ store, clock, retention: 60 });
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
      for (let count = 0; count < 5; count += 1) await startOne();
      clock.pass(1000);
      // The server knows the script from here on.
      await answerOf(store.ends.settle({ ...key, endId: 'none', dueAt: 0 }));
      const due = ['zrangebyscore', 'zrangebyscore'];
      const writes = (count: number) => Array(count).fill('evalsha');
      const ended = [...due, ...Array(5).fill('get'), ...writes(5)];
      const reported = [...due, 'mget', ...writes(10)];
      expect(await commandsOf(() => okOf(sweeper.sweepOnce()))).toEqual([...ended, ...reported]);
      clock.pass(60_000);
      expect(await commandsOf(() => okOf(sweeper.sweepOnce()))).toEqual([...ended, 'zrangebyscore']);
    });

    test('a sweep without onEnded asks for no ends, and an end that need not be reported takes no command of its own', async () => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const sessions = new SessionService({ store, clock, reportEnds: false });
      const { id } = await okOf(sessions.create({ ...ada, timeLimit: 1 }));
      await okOf(sessions.start(id));
      clock.pass(1000);
      const sweep = () => okOf(createSweeper(sessions).sweepOnce());
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore', 'zrangebyscore', 'get', 'evalsha']);
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore']);
      expect((await answerOf(store.ends.due(clock.now(), 10))).ends).toEqual([]);
    });
  });
});

const noEvents = (): never => {
  throw new Error('the store has no events');
};
