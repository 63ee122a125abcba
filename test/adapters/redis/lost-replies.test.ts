import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Script } from '../../../adapters/redis/connection.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { writeScripts } from '../../../adapters/redis/write-scripts.js';
import { answerOf } from '../../../src/testing/answers.js';
import {
  begin,
  change,
  due,
  idsOf,
  key,
  made,
  put,
  putOf,
  remove,
  said,
  tryBegin,
} from '../../../src/testing/commits.js';
import { keyOf, live, NOON, operationOf, TENANT, upTo } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientOptions, clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { openProxy } from '../../support/tcp-proxy.js';

const MADE = { outcome: 'made' };

const refused = (guard: string) => ({ outcome: 'refused', guard });

/**
 * Client settings with different handling of a lost reply. All of them settle the promise of the
 * lost command.
 */
const settings: Readonly<Record<string, ClientOptions>> = {
  'default settings': {},
  'maxRetriesPerRequest: 0': { maxRetriesPerRequest: 0 },
  'no queue and one retry': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  'a commandTimeout': { commandTimeout: 100 },
};

/** Changes by others while the reply is being lost. */
const nothing = async (): Promise<void> => {};
const appending1000 = async (others: RedisSessionStore): Promise<void> => {
  await Promise.all(upTo(20).map(() => openAppend(others, key, upTo(50).map(String))));
};
const changing5 = async (others: RedisSessionStore): Promise<void> => {
  const first = (await answerOf(others.findState(key)))?.revision ?? 0;
  for (const at of upTo(5))
    await put(others, key, live('ACTIVE', { revision: first + 1 + at, deadline: NOON + at + 1 }));
};

let prefixes = 0;

describeWithRedis('a Redis reply that is lost after the command ran', ({ port }) => {
  // Loads the scripts, so that the lost reply is the script's and not NOSCRIPT.
  beforeAll(async () => {
    const client = new Redis(port);
    const prefix = 'lost-replies-scripts';
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(store, key);
    await openAppend(store, key, ['hello']);
    await remove(store, key);
    await client.quit();
  });

  describe.each(clientVersions)('%s', (version) => {
    // The settings have the same effect in all clients, so a short run tries one with the second
    // client.
    describe.each(
      Object.keys(settings).slice(0, moreIfLong(version === clientVersions[0] ? 2 : 1, 4)),
    )('%s', (name) => {
      const open = async () => {
        prefixes += 1;
        const prefix = `lost-replies-${process.pid}-${prefixes}`;
        const proxy = await openProxy(port);
        const common = { prefix, timeoutMs: PATIENT_MS };
        const others = new RedisSessionStore({ client: openClient(version, { port }), ...common });
        const client = openClient(version, { port: proxy.port, ...settings[name] });
        const store = new RedisSessionStore({ client, ...common });
        // Stores the settings of the deployment first, so that the first script is that of the
        // change.
        await begin(others, keyOf('zero'));
        await remove(others, keyOf('zero'));
        await answerOf(store.findState(key));
        // The reply that is cut off may be that of a command before it: nothing else happens until
        // the script has run.
        const loseReply = (
          beforeRetry: (others: RedisSessionStore) => Promise<void>,
          { sha1: command }: Pick<Script, 'sha1'> = { sha1: 'evalsha' },
          hasRun: () => Promise<boolean> = async () => true,
        ) =>
          proxy.loseReply(command, async () => {
            while (!(await hasRun()));
            await beforeRetry(others);
          });
        return { store, others, loseReply };
      };

      test.each([
        ['', nothing],
        ['; others change the session before the retry', changing5],
      ])('applies a create once%s', async (_, beforeRetry) => {
        const { store, others, loseReply } = await open();
        const isThere = async () => (await answerOf(others.findState(key))) !== undefined;
        const lost = loseReply(beforeRetry, writeScripts.change, isThere);
        await begin(store, key);
        await lost;
        expect(await idsOf(others, TENANT)).toEqual(['one']);
        const revision = beforeRetry === nothing ? 1 : 6;
        expect((await answerOf(others.findState(key)))?.revision).toBe(revision);
        expect(await tryBegin(store, key)).toEqual(refused('absent'));
      });

      test.each([
        ['', nothing],
        ['; others change the session before the retry', changing5],
      ])('applies a state change once%s', async (_, beforeRetry) => {
        const { store, others, loseReply } = await open();
        const { state: idle } = await begin(others, key, {
          state: live('IDLE', { deadline: NOON }),
        });
        const isChanged = async () => (await answerOf(others.findState(key)))?.revision === 2;
        const lost = loseReply(beforeRetry, writeScripts.change, isChanged);
        const next = live('ACTIVE', { revision: 2, deadline: NOON + 1000 });
        await made(store, putOf(key, next, idle));
        await lost;
        const state = await answerOf(others.findState(key));
        const changed = live('ACTIVE', { revision: 7, deadline: NOON + 5 });
        expect(state).toEqual(beforeRetry === nothing ? next : changed);
        expect(await due(others, NOON + 1000)).toEqual([{ ...key, dueAt: state?.deadline }]);
        expect(await change(store, putOf(key, next, idle))).toMatchObject(refused('revision'));
      });

      test.each([
        ['append', undefined, nothing],
        ['append; others append 1,000 entries before the retry', undefined, appending1000],
        ['append with an operationId', 'op', nothing],
        [
          'append with an operationId; others append 1,000 entries before the retry',
          'op',
          appending1000,
        ],
      ])('applies an %s once', async (_, operationId, beforeRetry) => {
        const { store, others, loseReply } = await open();
        await begin(others, key);
        await openAppend(others, key, ['before']);
        const isSaid = async () => (await said(others, key))?.includes('mine') === true;
        const lost = loseReply(beforeRetry, writeScripts.append, isSaid);
        const operation = operationId === undefined ? undefined : operationOf(operationId);
        const commit = openAppendOf(key, ['mine', 'mine too'], { operation });
        const position = await made(store, commit);
        await lost;
        const expected = ['before', 'mine', 'mine too'];
        expect((await said(others, key))?.slice(0, 3)).toEqual(expected);
        expect(await said(others, key)).toHaveLength(beforeRetry === nothing ? 3 : 1003);
        // The next append stands after it, so this was the position of the first arrival.
        expect(await openAppend(others, key, ['after'])).toBeGreaterThan(position);
        if (operation !== undefined)
          expect(await change(others, commit)).toEqual({ outcome: 'repeated', position });
      });

      test('leaves a session removed that others remove before the retry of its create', async () => {
        const { store, others, loseReply } = await open();
        const isThere = async () => (await answerOf(others.findState(key))) !== undefined;
        const removing = async () => expect(await remove(others, key)).toEqual(MADE);
        const lost = loseReply(removing, writeScripts.change, isThere);
        await begin(store, key);
        await lost;
        expect(await answerOf(others.find(key))).toBeUndefined();
        expect(await idsOf(others, TENANT)).toEqual([]);
      });

      test('leaves a session in place that others create again before the retry of its removal', async () => {
        const { store, others, loseReply } = await open();
        await begin(others, key);
        await openAppend(others, key, ['the first']);
        const lost = loseReply(async () => {
          await begin(others, key);
          await openAppend(others, key, ['the second']);
        });
        expect(await remove(store, key)).toEqual(MADE);
        await lost;
        expect(await said(others, key)).toEqual(['the second']);
        expect(await idsOf(others, TENANT)).toEqual(['one']);
      });

      test('leaves a session removed that others remove, create and remove before the retry of its create', async () => {
        const { store, others, loseReply } = await open();
        const lost = loseReply(async () => {
          expect(await remove(others, key)).toEqual(MADE);
          await begin(others, key);
          expect(await remove(others, key)).toEqual(MADE);
        });
        await begin(store, key);
        await lost;
        expect(await answerOf(others.find(key))).toBeUndefined();
      });

      test('applies a removal once', async () => {
        const { store, others, loseReply } = await open();
        await begin(others, key, { state: live('PAUSED', { deadline: NOON }) });
        await begin(others, keyOf('two'));
        const lost = loseReply(nothing);
        expect(await remove(store, key)).toEqual(MADE);
        await lost;
        expect(await idsOf(others, TENANT)).toEqual(['two']);
        expect(await due(others, NOON)).toEqual([]);
        expect(await remove(store, key)).toEqual(refused('present'));
      });
    });
  });
});
