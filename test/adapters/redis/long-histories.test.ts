import { Redis } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { HistorySlice } from '../../../src/store/session-store.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { answerOf, append, said } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';

const ENTRIES = 100_000;
/** Bytes that a script asks for at a time where it searches a journal. */
const PIECE_BYTES = 64 * 1024;

/** Fails where commands may read more bytes of a journal, or all of it. */
const expectLittle = (commands: readonly string[], most: number): void => {
  const asked = commands.flatMap((command) => {
    const [, from, to] = /^getrange journal (-?\d+) (-?\d+)$/.exec(command) ?? [];
    return from === undefined || to === undefined ? [] : [Number(to) - Number(from) + 1];
  });
  expect(commands.filter((command) => command === 'get journal' || /^getrange journal \d+ -/.test(command))).toEqual(
    [],
  );
  expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(most);
};
const prefix = `long-${process.pid}`;
const key = keyOf('long');
const { record, journal, names } = new Keyspace(prefix, 1).of(key);

// On a server of its own: the traffic of others can come before the answer to MONITOR, which no client expects.
describeWithRedis(`an append to a history of ${ENTRIES} entries`, () => {
  let port = 0;

  beforeAll(async () => {
    const server = await startRedis();
    port = server.port;
    const client = new Redis(port);
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await answerOf(store.insert(TENANT, headOf('long'), live('ACTIVE')));
    const entries = upTo(1000).map((at) => say(`entry ${at}`));
    for (const _ of upTo(ENTRIES / 1000)) await answerOf(store.append(key, { entries, now: NOON }));
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
        // The scripts are called with the keys behind their number.
        else if ([record, journal, names].some((name) => name === args[0]))
          seen.push([command.toLowerCase(), ...args].join(' '));
      });
    });
    await work();
    await client.echo(prefix);
    await over;
    return seen.map((command) =>
      command.replace(record, 'record').replace(journal, 'journal').replace(names, 'names').replace(/ \{.*/s, ''),
    );
  };

  describe.each(clientVersions)('%s', (version) => {
    const open = () => new RedisSessionStore({ client: openClient(version, { port }), prefix, timeoutMs: PATIENT_MS });

    test('reads next to nothing, and adds', async () => {
      const store = open();
      await append(store, key, ['the first of this process']);
      const seen = await watch(async () => {
        for (const _ of upTo(3)) await append(store, key, ['another']);
      });
      expectLittle(seen, 3 * 100);
      expect(seen.filter((command) => command === 'append journal')).toHaveLength(3);
    });

    test('of a process that has not written to it yet reads next to nothing either', async () => {
      const store = open();
      const seen = await watch(async () => {
        await append(store, key, ['the first of this process']);
      });
      expectLittle(seen, 200);
    });

    test('reads no more than what others have written since', async () => {
      const [store, others] = [open(), open()];
      await append(store, key, ['mine']);
      for (const _ of upTo(10)) await append(others, key, ['theirs']);
      const seen = await watch(async () => {
        await append(store, key, ['mine again']);
      });
      expectLittle(seen, PIECE_BYTES + 200);
      const after = await watch(async () => {
        await append(store, key, ['mine once more']);
      });
      expectLittle(after, 100);
    });

    test('with an operation id searches for it from one position, whatever was written since', async () => {
      const [store, others] = [open(), open()];
      const position = await append(store, key, ['mine'], `${version.at(-1)}-op`);
      for (const _ of upTo(10)) await append(others, key, ['theirs']);
      for (const each of [store, others]) {
        const seen = await watch(async () => {
          expect(await append(each, key, ['mine'], `${version.at(-1)}-op`)).toBe(position);
        });
        expectLittle(seen, 2 * PIECE_BYTES + 500);
      }
    });

    test('with an operation id is repeated if a crash lost it after its id was noted', async () => {
      const store = open();
      const client = openClient(version, { port });
      const operationId = `lost-${version.at(-1)}`;
      await client.call('HSET', names, operationId, String(1 + Number(await client.call('STRLEN', journal))));
      const position = await append(store, key, [operationId], operationId);
      expect(await append(store, key, [operationId], operationId)).toBe(position);
      expect((await said(store, key))?.filter((content) => content === operationId)).toHaveLength(1);
    });

    test('leaves its last entries, and those behind it, to be read at their own cost', async () => {
      const store = open();
      const position = await append(store, key, ['before']);
      await append(store, key, ['after']);
      const expectFew = async (slice: HistorySlice, expected: readonly string[], most: number) => {
        let read = 0;
        const seen = await watch(async () => {
          const found = await answerOf(store.findEntries(key, slice));
          const entries = found.outcome === 'found' ? found.entries : [];
          expect(entries.map(({ content }) => content).slice(-expected.length)).toEqual(expected);
        });
        for (const command of seen) {
          const [name, , from, to] = command.split(' ');
          expect(['get', 'strlen', 'getrange']).toContain(name);
          if (name === 'getrange') read += Math.abs(Number(to) - Number(from)) + 1;
          else expect(command).not.toBe('get journal');
        }
        expect(read).toBeLessThanOrEqual(most);
      };
      const LOOK = 128 + 1;
      await expectFew({ limit: 2 }, ['before', 'after'], LOOK + 16_384);
      await expectFew({ after: position, limit: 1000 }, ['after'], LOOK + 1000);
      await expectFew({ after: 0, limit: 1 }, ['entry 0'], LOOK + 16_384);
      // A thousand entries are about 80 kB.
      await expectFew({ limit: 1000 }, ['before', 'after'], LOOK + 4 * 80_000);
      await expectFew({ after: 0, limit: 1000 }, ['entry 999'], LOOK + 4 * 80_000);
    });

    test('keeps everything', async () => {
      const store = open();
      const before = (await said(store, key)) ?? [];
      await append(store, key, ['one more']);
      expect(before.length).toBeGreaterThanOrEqual(ENTRIES);
      expect(await said(store, key)).toEqual([...before, 'one more']);
    });
  });
});
