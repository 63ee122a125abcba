import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Script } from '../../../adapters/redis/connection.js';
import { writeScripts } from '../../../adapters/redis/write-scripts.js';
import {
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  say,
  TENANT,
  upTo,
} from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { answerOf, append, dueOf, idsOn, said } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientOptions, clientVersions, openClient } from '../../support/redis-clients.js';
import { replaceUnread } from '../../support/replace-unread.js';
import { openProxy } from '../../support/tcp-proxy.js';
import type { TodaysRedisStore } from '../../support/todays-redis-store.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');

/**
 * What hosts set so that a lost reply does no harm, or does. All of these settle the promise of the
 * lost command.
 */
const settings: Readonly<Record<string, ClientOptions>> = {
  'default settings': {},
  'maxRetriesPerRequest: 0': { maxRetriesPerRequest: 0 },
  'no queue and one retry': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  'a commandTimeout': { commandTimeout: 100 },
};

/** What others do while the reply is on its way into the void. */
const nothing = async (): Promise<void> => {};
const appending1000 = async (others: TodaysRedisStore): Promise<void> => {
  await Promise.all(upTo(20).map(() => append(others, key, upTo(50).map(String))));
};
const changing5 = async (others: TodaysRedisStore): Promise<void> => {
  const first = (await answerOf(others.findState(key)))?.revision ?? 0;
  for (const change of upTo(5)) {
    const next = live('ACTIVE', { revision: first + 1 + change, deadline: NOON + change + 1 });
    expect(await answerOf(replaceUnread(others.port, key, next))).toMatchObject({
      outcome: 'made',
    });
  }
};

let prefixes = 0;

describeWithRedis('a reply is lost after the command has run', ({ port }) => {
  // What is cut off is to be the reply of the script itself, and not the server's word that it does
  // not know it.
  beforeAll(async () => {
    const client = new Redis(port);
    const store = todaysRedisStore({
      client,
      prefix: 'lost-replies-scripts',
      timeoutMs: PATIENT_MS,
    });
    await answerOf(store.insert(TENANT, headOf('one'), live('IDLE')));
    await answerOf(replaceUnread(store.port, key, live('ACTIVE', { revision: 2 })));
    await append(store, key, ['hello']);
    await append(store, key, ['hello'], 'op');
    await answerOf(store.remove(key));
    await client.quit();
  });

  describe.each(clientVersions)('%s', (version) => {
    // What the settings do is the same in both: the second one is tried as it comes.
    describe.each(
      Object.keys(settings).slice(0, moreIfLong(version === clientVersions[0] ? 2 : 1, 4)),
    )('%s', (name) => {
      const open = async () => {
        prefixes += 1;
        const prefix = `lost-replies-${process.pid}-${prefixes}`;
        const proxy = await openProxy(port);
        const others = todaysRedisStore({
          client: openClient(version, { port }),
          prefix,
          timeoutMs: PATIENT_MS,
        });
        const client = openClient(version, { port: proxy.port, ...settings[name] });
        const store = todaysRedisStore({ client, prefix, timeoutMs: PATIENT_MS });
        // The settings of the deployment are stored before, so that the first script that is sent
        // is that of the change.
        await answerOf(others.insert(TENANT, headOf('zero'), live('IDLE')));
        await answerOf(others.remove(keyOf('zero')));
        await answerOf(store.findState(key));
        // The reply that is cut off may be that of a command before it: nothing else happens until
        // the script has run.
        const loseReply = (
          meanwhile: (others: TodaysRedisStore) => Promise<void>,
          { sha1: command }: Pick<Script, 'sha1'> = { sha1: 'evalsha' },
          hasRun: () => Promise<boolean> = async () => true,
        ) =>
          proxy.loseReply(command, async () => {
            while (!(await hasRun()));
            await meanwhile(others);
          });
        return { store, others, loseReply };
      };

      test.each([
        ['', nothing],
        ['; others change the session meanwhile', changing5],
      ])('insert%s', async (_, meanwhile) => {
        const { store, others, loseReply } = await open();
        const isThere = async () => (await answerOf(others.findState(key))) !== undefined;
        const lost = loseReply(meanwhile, writeScripts.change, isThere);
        expect(await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe(
          'inserted',
        );
        await lost;
        expect(await idsOn(others, TENANT)).toEqual(['one']);
        expect((await answerOf(others.findState(key)))?.revision).toBe(
          meanwhile === nothing ? 1 : 6,
        );
        expect(await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe('taken');
      });

      test.each([
        ['', nothing],
        ['; others change the session meanwhile', changing5],
      ])('replace%s', async (_, meanwhile) => {
        const { store, others, loseReply } = await open();
        // Its deadline is noted already, so that the first script that is sent is the one that
        // replaces.
        await answerOf(others.insert(TENANT, headOf('one'), live('IDLE', { deadline: NOON })));
        const isChanged = async () => (await answerOf(others.findState(key)))?.revision === 2;
        const lost = loseReply(meanwhile, writeScripts.change, isChanged);
        const next = live('ACTIVE', { revision: 2, deadline: NOON + 1000 });
        expect(await answerOf(replaceUnread(store.port, key, next))).toMatchObject({
          outcome: 'made',
        });
        await lost;
        const state = await answerOf(others.findState(key));
        expect(state).toEqual(
          meanwhile === nothing ? next : live('ACTIVE', { revision: 7, deadline: NOON + 5 }),
        );
        expect(await dueOf(others, NOON + 1000, 10)).toEqual([{ ...key, dueAt: state?.deadline }]);
        expect(await answerOf(replaceUnread(store.port, key, next))).toMatchObject({
          outcome: 'refused',
          guard: 'revision',
        });
      });

      test.each([
        ['append', undefined, nothing],
        ['append; others append 1,000 entries meanwhile', undefined, appending1000],
        ['append with an operationId', 'op', nothing],
        ['append with an operationId; others append 1,000 entries meanwhile', 'op', appending1000],
      ])('%s', async (_, operationId, meanwhile) => {
        const { store, others, loseReply } = await open();
        await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')));
        await append(others, key, ['before']);
        const isSaid = async () => (await said(others, key))?.includes('mine') === true;
        const lost = loseReply(meanwhile, writeScripts.append, isSaid);
        const position = await append(store, key, ['mine', 'mine too'], operationId);
        await lost;
        const expected = ['before', 'mine', 'mine too'];
        expect((await said(others, key))?.slice(0, 3)).toEqual(expected);
        expect(await said(others, key)).toHaveLength(meanwhile === nothing ? 3 : 1003);
        // What comes next stands after it, so this was the position of the first arrival.
        const after = await append(others, key, ['after']);
        expect(after).toBeGreaterThan(position);
        if (operationId !== undefined) {
          const again = {
            entries: [say('mine'), say('mine too')],
            now: NOON,
            operation: operationOf(operationId),
          };
          expect(await answerOf(others.append(key, again))).toEqual({
            outcome: 'appended',
            position,
            repeated: true,
          });
        }
      });

      test('insert; others remove the session meanwhile, and it stays removed', async () => {
        const { store, others, loseReply } = await open();
        const isThere = async () => (await answerOf(others.findState(key))) !== undefined;
        const lost = loseReply(
          async () => {
            expect(await answerOf(others.remove(key))).toBe('removed');
          },
          writeScripts.change,
          isThere,
        );
        expect(await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe(
          'inserted',
        );
        await lost;
        expect(await answerOf(others.find(key))).toBeUndefined();
        expect(await idsOn(others, TENANT)).toEqual([]);
      });

      test('remove; others create the session anew meanwhile, and it stays', async () => {
        const { store, others, loseReply } = await open();
        await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')));
        await append(others, key, ['the first']);
        const lost = loseReply(async () => {
          expect(await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe(
            'inserted',
          );
          await append(others, key, ['the second']);
        });
        expect(await answerOf(store.remove(key))).toBe('removed');
        await lost;
        expect(await said(others, key)).toEqual(['the second']);
        expect(await idsOn(others, TENANT)).toEqual(['one']);
      });

      test('insert; others remove the session, create it anew and remove it again meanwhile', async () => {
        const { store, others, loseReply } = await open();
        const lost = loseReply(async () => {
          expect(await answerOf(others.remove(key))).toBe('removed');
          expect(await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe(
            'inserted',
          );
          expect(await answerOf(others.remove(key))).toBe('removed');
        });
        expect(await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe(
          'inserted',
        );
        await lost;
        expect(await answerOf(others.find(key))).toBeUndefined();
      });

      test('remove', async () => {
        const { store, others, loseReply } = await open();
        await answerOf(others.insert(TENANT, headOf('one'), live('PAUSED', { deadline: NOON })));
        await answerOf(others.insert(TENANT, headOf('two'), live('IDLE')));
        const lost = loseReply(nothing);
        expect(await answerOf(store.remove(key))).toBe('removed');
        await lost;
        expect(await idsOn(others, TENANT)).toEqual(['two']);
        expect(await dueOf(others, NOON, 10)).toEqual([]);
        expect(await answerOf(store.remove(key))).toBe('missing');
      });
    });
  });
});
