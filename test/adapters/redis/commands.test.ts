import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, due, made, move, putOf, remove } from '../../../src/testing/commits.js';
import { eventsAfter } from '../../../src/testing/event-steps.js';
import { ended, keyOf, live, NOON, operationOf, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { ada, okOf } from '../../support/sessions.js';

const key = keyOf('one');
const labels = { user: 'u1', channel: 'web' };
const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 500 };

let prefixes = 0;

describeWithRedis('Redis command counts', ({ port }) => {
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
      const store = new RedisSessionStore({ client: counted, prefix, events: true, reportEnds });
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
    const changes = (store: SessionStore): Readonly<Record<string, () => Promise<unknown>>> => {
      const named = { operation: operationOf('op') };
      return {
        create: () => begin(store, key, { state: idle }),
        start: () => made(store, putOf(key, started, idle)),
        append: () => openAppend(store, key, ['hello']),
        'append with an operation id': () => openAppend(store, key, ['you'], named),
        'the same again': () => answerOf(store.change(openAppendOf(key, ['you'], named))),
        pause: () => made(store, putOf(key, paused, started)),
        resume: () => made(store, putOf(key, resumed, paused)),
        lease: () => made(store, putOf(key, leased, resumed)),
        'append of the holder': () =>
          openAppend(store, key, ['mine'], { fence: { token: 3, now: NOON } }),
        release: () => made(store, putOf(key, free, leased)),
        move: () => move(store, key, NOON + 3000, NOON + 2500),
        end: () => made(store, putOf(key, failed, free)),
        relabel: () => made(store, putOf(key, relabelled, failed)),
        delete: () => remove(store, key),
      };
    };

    test('send one command per change, including its lists, deadline and event', async () => {
      const { store, commandsOf, client, prefix } = open();
      // The server knows the scripts from here on.
      for (const change of Object.values(changes(store))) await change();
      for (const [name, change] of Object.entries(changes(store))) {
        // A removal marks the session first, and then deletes it.
        const expected = name === 'delete' ? ['evalsha', 'evalsha'] : ['evalsha'];
        expect([name, await commandsOf(change)]).toEqual([name, expected]);
        expect(await missingEntries(client, { prefix })).toEqual([]);
      }
      const events = await eventsAfter(store, '0');
      const numbers = upTo(12).map((at) => at + 1);
      expect(events.map(({ sequence }) => sequence)).toEqual([...numbers, ...numbers]);
      expect(await due(store, NOON + 10_000)).toEqual([]);
    });

    test.each([
      [
        'read the state and write it in two commands, on a session that another process wrote last',
        ['get', 'evalsha'],
      ],
      ['send one command, on a session that this process wrote last', ['evalsha']],
    ])('%s', async (_, expected) => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const openService = () =>
        new SessionService({ store, clock, idleTimeout: 60, retention: 60 });
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

    test('apply the other changes of a group if one is rejected', async () => {
      const { store, client, prefix, commandsOf } = open();
      const ids = ['one', 'broken', 'three'];
      for (const id of ids) await begin(store, keyOf(id));
      const [record = ''] = [await client.call('KEYS', `${prefix}:*:record:*:broken`)]
        .flat()
        .map(String)
        .slice(-1);
      await client.call('DEL', record);
      await client.call('RPUSH', record, 'a list');
      const append = (id: string) => store.change(openAppendOf(keyOf(id), ['hello']));
      const outcomes: string[] = [];
      const work = async () => {
        for (const answer of await Promise.all(ids.map(append))) {
          outcomes.push(answer.isOk() ? answer.value.outcome : answer.error.type);
        }
      };
      expect(await commandsOf(work)).toEqual(['evalsha']);
      expect(outcomes).toEqual(['made', 'corrupt_record', 'made']);
    });

    test('send one command per append through a service, whatever the length of the history', async () => {
      const { store, commandsOf } = open();
      const sessions = new SessionService({ store });
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

    test('write once to end a session, once to report the end, and once to delete it in a sweep', async () => {
      const { store, commandsOf } = open(true);
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

    test('send changes of the same turn together, and a single change immediately', async () => {
      const { store, commandsOf } = open();
      const ids = upTo(20).map((at) => `s${at}`);
      await Promise.all(ids.map((id) => begin(store, keyOf(id))));
      const append = (id: string) => openAppend(store, keyOf(id), ['hello']);
      expect(await commandsOf(() => append('s0'))).toEqual(['evalsha']);
      expect(await commandsOf(() => Promise.all(ids.slice(0, 16).map(append)))).toEqual([
        'evalsha',
      ]);
      expect(await commandsOf(() => Promise.all(ids.map(append)))).toEqual(['evalsha', 'evalsha']);
    });

    test('send no extra command for an end that need not be reported', async () => {
      const { store, commandsOf } = open();
      const clock = new ManualClock();
      const sessions = new SessionService({ store, clock });
      const { id } = await okOf(sessions.create({ ...ada, timeLimit: 1 }));
      await okOf(sessions.start(id));
      clock.pass(1000);
      const sweep = () => okOf(createSweeper(sessions).sweepOnce());
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore', 'zrangebyscore', 'get', 'evalsha']);
      expect(await commandsOf(sweep)).toEqual(['zrangebyscore']);
    });
  });
});
