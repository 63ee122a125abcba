import { Redis } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { HistorySlice, UseChange } from '../../../src/store/session-store.js';
import { begin, change, foundIn, key, made, said } from '../../../src/testing/commits.js';
import { textsOf } from '../../../src/testing/history-steps.js';
import { operationOf, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';

const ENTRIES = 100_000;

const prefix = `long-${process.pid}`;
const { record, journal, operations } = new Keyspace(prefix, 1).of(key);

// On a separate server: other traffic could arrive before the reply to MONITOR, which no client
// expects.
describeWithRedis(`an append to a Redis history of ${ENTRIES} entries`, () => {
  let port = 0;

  beforeAll(async () => {
    const server = await startRedis();
    port = server.port;
    const client = new Redis(port);
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(store, key);
    const contents = upTo(1000).map((at) => `entry ${at}`);
    for (const _ of upTo(ENTRIES / 1000)) await openAppend(store, key, contents);
    await client.quit();
    return () => server.stop();
  });

  /** What the server does with the session's keys during `work`, command by command. */
  const watch = async (work: () => Promise<void>): Promise<readonly string[]> => {
    const client = new Redis(port);
    onTestFinished(() => client.disconnect());
    await client.ping();
    const monitor = await client.monitor();
    onTestFinished(() => monitor.disconnect());
    const seen: string[] = [];
    const over = new Promise<void>((resolve) => {
      monitor.on('monitor', (_: string, [command = '', ...args]: readonly string[]) => {
        if (command.toLowerCase() === 'echo' && args[0] === prefix) resolve();
        // The scripts are called with the keys after their number.
        else if ([record, journal, operations].some((name) => name === args[0]))
          seen.push([command.toLowerCase(), ...args].join(' '));
      });
    });
    await work();
    await client.echo(prefix);
    await over;
    return seen.map((command) =>
      command
        .replace(record, 'record')
        .replace(journal, 'journal')
        .replace(operations, 'operations')
        .replace(/ \{.*/s, ''),
    );
  };

  describe.each(clientVersions)('%s', (version) => {
    const open = () => {
      const client = openClient(version, { port });
      return new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    };
    /** A named append, with a name of its own for each client. */
    const namedAppend = (name: string) => {
      const id = `${name}-${version.replace(' ', '-')}`;
      return openAppendOf(key, [id], { operation: operationOf(id) });
    };

    test('reads nothing of the history, whoever wrote to it before, and writes at its end', async () => {
      const [store, others] = [open(), open()];
      await openAppend(store, key, ['the first of this process']);
      for (const _ of upTo(3)) await openAppend(others, key, ['theirs']);
      const seen = await watch(async () => {
        for (const _ of upTo(3)) await openAppend(store, key, ['another']);
      });
      const ofJournal = seen
        .filter((command) => command.includes(' journal'))
        .map((command) => command.split(' ')[0]);
      expect(ofJournal).toEqual(upTo(3).flatMap(() => ['strlen', 'setrange']));
      expect(seen.filter((command) => command === 'get record')).toEqual([]);
    });

    test('with an operation id reads nothing of the history, and its repetition reads only its own line', async () => {
      const [store, others] = [open(), open()];
      const mine = namedAppend('mine');
      const position = await made(store, mine);
      for (const _ of upTo(10)) await openAppend(others, key, ['theirs']);
      for (const each of [store, others]) {
        const seen = await watch(async () =>
          expect(await change(each, mine)).toEqual({ outcome: 'repeated', position }),
        );
        const ofJournal = seen.filter((command) => command.includes(' journal'));
        const [length, own, ...rest] = ofJournal.map((command) => command.split(' '));
        expect([length, own?.slice(0, 2), rest]).toEqual([
          ['strlen', 'journal'],
          ['getrange', 'journal'],
          [],
        ]);
        expect(Number(own?.[3]) - Number(own?.[2])).toBeLessThan(100);
      }
    });

    describe('with an operation id that a crash kept while it lost the append', () => {
      /**
       * Appends, and then restores the record as it was before: a torn log lacks this last command.
       */
      const appendAndLose = async (store: RedisSessionStore, commit: UseChange): Promise<void> => {
        const client = openClient(version, { port });
        const before = String(await client.call('GET', record));
        await made(store, commit);
        await client.call('SET', record, before);
      };

      const expectRepeatable = async (store: RedisSessionStore, commit: UseChange) => {
        const position = await made(store, commit);
        expect(await change(store, commit)).toEqual({ outcome: 'repeated', position });
        const [own] = commit.effects.entries ?? [];
        const found = (await said(store, key))?.filter((content) => content === own?.content);
        expect(found).toHaveLength(1);
      };

      test('is applied when it is repeated', async () => {
        const store = open();
        const commit = namedAppend('lost');
        await appendAndLose(store, commit);
        await expectRepeatable(store, commit);
      });

      test('is applied when it is repeated, even if other entries took its place', async () => {
        const store = open();
        const commit = namedAppend('replaced');
        await appendAndLose(store, commit);
        await openAppend(store, key, ['theirs, which is longer']);
        await expectRepeatable(store, commit);
      });
    });

    test('leaves the latest entries readable at their own cost', async () => {
      const store = open();
      const position = await openAppend(store, key, ['before']);
      await openAppend(store, key, ['after']);
      const expectFew = async (slice: HistorySlice, expected: readonly string[], most: number) => {
        let read = 0;
        const seen = await watch(async () => {
          const { entries } = await foundIn(store, slice);
          expect(textsOf(entries).slice(-expected.length)).toEqual(expected);
        });
        for (const command of seen) {
          const [name, , from, to] = command.split(' ');
          expect(['get', 'strlen', 'getrange']).toContain(name);
          if (name === 'getrange') read += Math.abs(Number(to) - Number(from)) + 1;
          else expect(command).not.toBe('get journal');
        }
        expect(read).toBeLessThanOrEqual(most);
      };
      // The fields of the record.
      const LOOK = 256 + 1;
      await expectFew({ limit: 2 }, ['before', 'after'], LOOK + 16_384);
      await expectFew({ after: position, limit: 1000 }, ['after'], LOOK + 1000);
      await expectFew({ after: 0, limit: 1 }, ['entry 0'], LOOK + 16_384);
      // A thousand entries are about 80 kB.
      await expectFew({ limit: 1000 }, ['before', 'after'], LOOK + 4 * 80_000);
      await expectFew({ after: 0, limit: 1000 }, ['entry 999'], LOOK + 4 * 80_000);
    });

    test('keeps all earlier entries', async () => {
      const store = open();
      const before = (await said(store, key)) ?? [];
      await openAppend(store, key, ['one more']);
      expect(before.length).toBeGreaterThanOrEqual(ENTRIES);
      expect(await said(store, key)).toEqual([...before, 'one more']);
    });
  });
});
