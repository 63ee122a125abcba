import { Redis } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keys.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { answerOf, append, said } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';

const ENTRIES = 100_000;
const prefix = `long-${process.pid}`;
const key = keyOf('long');
const { state, journal } = new Keyspace(prefix, 1).of(key);

describeWithRedis(`an append to a history of ${ENTRIES} entries`, ({ port }) => {
  beforeAll(async () => {
    const client = new Redis(port);
    const store = new RedisSessionStore({ client, prefix });
    await answerOf(store.insert(TENANT, headOf('long'), live('ACTIVE')));
    const entries = upTo(1000).map((at) => say(`entry ${at}`));
    for (const _ of upTo(ENTRIES / 1000)) await answerOf(store.append(key, { entries, now: NOON }));
    await client.quit();
  });

  /** What the server does with the session's keys during `work`, command by command. */
  const watch = async (work: () => Promise<void>): Promise<readonly string[]> => {
    const client = new Redis(port);
    onTestFinished(() => client.disconnect());
    const monitor = await client.monitor();
    onTestFinished(() => monitor.disconnect());
    const seen: string[] = [];
    const over = new Promise<void>((resolve) => {
      monitor.on('monitor', (_: string, [command = '', ...args]: readonly string[]) => {
        if (command.toLowerCase() === 'echo' && args[0] === prefix) resolve();
        // The scripts are called with the keys behind their number.
        else if (args[0] === journal || args[0] === state) seen.push([command.toLowerCase(), ...args].join(' '));
      });
    });
    await work();
    await client.echo(prefix);
    await over;
    return seen.map((command) => command.replace(state, 'state').replace(journal, 'journal').replace(/ \{.*/s, ''));
  };

  describe.each(clientVersions)('%s', (version) => {
    const open = () => new RedisSessionStore({ client: openClient(version, { port }), prefix });

    test('looks at its length alone, and adds', async () => {
      const store = open();
      await append(store, key, ['the first of this process']);
      const seen = await watch(async () => {
        for (const _ of upTo(3)) await append(store, key, ['another']);
      });
      const once = ['get state', 'strlen journal', 'append journal'];
      expect(seen).toEqual([...once, ...once, ...once]);
    });

    test('of a process that has not written to it yet asks for the length first', async () => {
      const store = open();
      const seen = await watch(async () => {
        await append(store, key, ['the first of this process']);
      });
      expect(seen).toEqual(['strlen journal', 'get state', 'strlen journal', 'append journal']);
    });

    test('reads no more than what others have written since', async () => {
      const [store, others] = [open(), open()];
      const last = await append(store, key, ['mine']);
      for (const _ of upTo(10)) await append(others, key, ['theirs']);
      const seen = await watch(async () => {
        await append(store, key, ['mine again']);
      });
      expect(seen).toEqual(['get state', 'strlen journal', `getrange journal ${last} -1`, 'append journal']);
      const after = await watch(async () => {
        await append(store, key, ['mine once more']);
      });
      expect(after).toEqual(['get state', 'strlen journal', 'append journal']);
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
