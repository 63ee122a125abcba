import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../../../src/session/errors.js';
import type { Answer, SessionStore } from '../../../src/store/session-store.js';
import { answerOf, errorOf } from '../../../src/testing/answers.js';
import {
  begin,
  beginOf,
  change,
  idsOf,
  put,
  putOf,
  remove,
  said,
} from '../../../src/testing/commits.js';
import { headOf, keyOf, live, NOON, operationOf, upTo } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { freePort, freePortPair } from '../../support/free-port.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientOptions, clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';
import { storeCalls } from '../../support/store-calls.js';

/**
 * For calls that are refused until they give up: the answer to their last try may take more than
 * half of it.
 */
const RETRIED_MS = 3000;
/** For calls that get no answer. */
const UNANSWERED_MS = 250;

/** A secret that no error may contain. */
const SECRET = 'hush';
const prefix = `${SECRET}-prefix`;
const tenant = `${SECRET}-tenant`;
const password = `${SECRET}-password`;

const key = keyOf('one', tenant);
const another = keyOf('two', tenant);
const contents = [`${SECRET}-content`];

type Run = (store: SessionStore) => Answer<unknown, StoreError | TooLarge | SearchTooLarge>;
type Write = 'begin' | 'put' | 'append' | 'append with an operationId' | 'remove';
type Read = 'find' | 'findState' | 'page' | 'due';
type Call = Write | Read;

const writes: Readonly<Record<Write, Run>> = {
  begin: (store) => {
    const head = headOf(another.id, NOON, { context: `${SECRET}-context` });
    return store.begin(beginOf(another, { head, state: live('IDLE', { deadline: NOON }) }));
  },
  put: (store) =>
    store.change(putOf(key, live('PAUSED', { revision: 3, deadline: NOON + 1 }), live('ACTIVE'))),
  append: (store) => store.change(openAppendOf(key, contents)),
  'append with an operationId': (store) =>
    store.change(openAppendOf(key, contents, { operation: operationOf(`${SECRET}-op`) })),
  remove: (store) => store.remove(planRemove(key, NOON)),
};

const reads: Readonly<Record<Read, Run>> = {
  find: (store) => store.find(key),
  findState: (store) => store.findState(key),
  page: (store) => store.page(tenant, { offset: 0, limit: 10 }),
  due: storeCalls.due,
};

const calls = { ...writes, ...reads };
const additions: readonly Call[] = ['begin', 'put', 'append', 'append with an operationId'];
const allReads: readonly Call[] = ['find', 'findState', 'page', 'due'];
const allCalls: readonly Call[] = [...additions, 'remove', ...allReads];

/** As much of an error as a log could show. */
const shown = (error: unknown): string =>
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });

/** The errors of concurrent calls. None reveals a secret. */
const errorsOf = async (store: SessionStore, names: readonly Call[]) => {
  const errors = await Promise.all(
    names.map(async (name) => ({ name, error: await errorOf(calls[name](store)) })),
  );
  expect(shown(errors)).not.toContain(SECRET);
  return errors;
};

/**
 * A client without access gets an error or no answer: both settle within the timeout, and neither
 * reveals a secret.
 */
const expectUnreachable = async (store: SessionStore): Promise<void> => {
  for (const { name, error } of await errorsOf(store, ['find', 'page', 'begin', 'append'])) {
    expect(error.type).toMatch(/^(store_unavailable|misconfigured)$/);
    if (name !== 'begin' && error.type === 'store_unavailable')
      expect(error).toMatchObject({ outcome: 'not_applied' });
  }
};

describeWithRedis('a Redis server error', () => {
  /**
   * A server of its own with one ACTIVE session on it, and what can be done there as its master.
   */
  const open = async (...args: readonly string[]) => {
    const server = await startRedis({ args });
    onTestFinished(() => server.stop());
    const admin = new Redis(server.port);
    onTestFinished(() => admin.disconnect());
    const own = new RedisSessionStore({ client: admin, prefix, timeoutMs: PATIENT_MS });
    return { port: server.port, admin, own };
  };

  const fill = async (store: SessionStore): Promise<void> => {
    await begin(store, key, { state: live('IDLE', { deadline: NOON }) });
    await put(store, key, live('ACTIVE', { revision: 2 }));
    await openAppend(store, key, ['before']);
  };

  /** All that is stored, to the byte. */
  const everything = async (
    admin: Redis,
  ): Promise<Readonly<Record<string, string | undefined>>> => {
    // Without the write markers, which expire.
    const names = (await admin.keys('*')).filter((name) => !name.includes(':write:')).toSorted();
    const dumps = await Promise.all(names.map((name) => admin.dumpBuffer(name)));
    return Object.fromEntries(names.map((name, at) => [name, dumps[at]?.toString('base64')]));
  };

  const expectRefused = async (
    store: SessionStore,
    names: readonly Call[],
    message: RegExp,
  ): Promise<void> => {
    const refusal = {
      type: 'store_unavailable',
      outcome: 'not_applied',
      message: expect.stringMatching(message),
    };
    for (const { name, error } of await errorsOf(store, names)) {
      expect({ name, error }).toMatchObject({ name, error: refusal });
    }
  };

  /** Errors that only a change of the user's rights resolves. */
  const expectDenied = async (store: SessionStore): Promise<void> => {
    for (const { name, error } of await errorsOf(store, allCalls))
      expect({ name, error }).toMatchObject({ name, error: { type: 'misconfigured' } });
  };

  describe.each(clientVersions)('%s', (version) => {
    // Each test waits for a client that retries for seconds. A second client only differs in how it
    // is refused, which READONLY shows.
    const ofFirst = moreIfLong(version === clientVersions[0], true) ? test : test.skip;
    const storeAt = (
      port: number,
      { timeoutMs = PATIENT_MS, ...options }: ClientOptions & { timeoutMs?: number } = {},
    ) =>
      new RedisSessionStore({
        client: openClient(version, { port, ...options }),
        prefix,
        timeoutMs,
      });

    test('OOM prevents writes, but not reads and removals', async () => {
      const { port, admin, own } = await open();
      await fill(own);
      const before = await everything(admin);
      await admin.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1');
      const store = storeAt(port);
      await expectRefused(store, additions, /OOM/);
      expect(await everything(admin)).toEqual(before);
      expect(await said(store, key)).toEqual(['before']);
      expect(await remove(store, key)).toEqual({ outcome: 'made' });
      expect(Object.keys(await everything(admin))).toEqual([expect.stringMatching(/:deployment$/)]);
    });

    test('READONLY prevents writes, but not reads, and the next call after the promotion succeeds', async () => {
      const { port, admin, own } = await open();
      await fill(own);
      const before = await everything(admin);
      await admin.replicaof('127.0.0.1', await freePort());
      const store = storeAt(port, { timeoutMs: RETRIED_MS });
      await expectRefused(store, [...additions, 'remove'], /READONLY/);
      const patient = storeAt(port);
      expect(await said(patient, key)).toEqual(['before']);
      expect(await idsOf(patient, tenant)).toEqual([key.id]);
      expect(await everything(admin)).toEqual(before);
      await admin.replicaof('NO', 'ONE');
      await openAppend(patient, key, ['after']);
      expect(await said(patient, key)).toEqual(['before', 'after']);
    });

    ofFirst('MASTERDOWN: no call is answered from old data', async () => {
      const { port, admin, own } = await open('--replica-serve-stale-data', 'no');
      await fill(own);
      const before = await everything(admin);
      const store = storeAt(port, { timeoutMs: RETRIED_MS });
      await answerOf(storeAt(port).find(key));
      await admin.replicaof('127.0.0.1', await freePort());
      await Promise.all([
        expectRefused(store, ['find', 'findState', 'due'], /MASTERDOWN/),
        expectRefused(store, ['page', 'begin', 'remove'], /MASTERDOWN|READONLY/),
      ]);
      await admin.replicaof('NO', 'ONE');
      expect(await everything(admin)).toEqual(before);
    });

    test('NOREPLICAS prevents writes, but not reads', async () => {
      const { port, admin, own } = await open();
      await fill(own);
      const before = await everything(admin);
      await admin.config('SET', 'min-replicas-to-write', '1');
      const store = storeAt(port);
      await expectRefused(store, [...additions, 'remove'], /NOREPLICAS/);
      expect(await said(store, key)).toEqual(['before']);
      expect(await everything(admin)).toEqual(before);
    });

    test('MISCONF (a server that cannot save) prevents writes, but not reads', async () => {
      // Where no snapshot can be written.
      const { port, admin, own } = await open('--dir', '/proc', '--save', '3600 1');
      await fill(own);
      const before = await everything(admin);
      await admin.call('BGSAVE');
      const store = storeAt(port);
      while (!(await admin.info('persistence')).includes('rdb_last_bgsave_status:err'));
      await expectRefused(store, [...additions, 'remove'], /MISCONF/);
      expect(await said(store, key)).toEqual(['before']);
      expect(await everything(admin)).toEqual(before);
    });

    ofFirst('CLUSTERDOWN: no node serves the slot', async () => {
      const server = await startRedis({
        args: ['--cluster-enabled', 'yes'],
        port: await freePortPair(10_000),
      });
      onTestFinished(() => server.stop());
      const store = storeAt(server.port, { timeoutMs: RETRIED_MS });
      await expectRefused(store, ['find', 'begin', 'append', 'remove'], /CLUSTERDOWN/);
    });

    test('NOAUTH and WRONGPASS are reported without the password', async () => {
      const { port, admin, own } = await open();
      await fill(own);
      const before = await everything(admin);
      await admin.config('SET', 'requirepass', password);
      const wrong = `${SECRET}-wrong`;
      for (const access of [{}, { password: wrong }, { username: 'nobody', password: wrong }]) {
        await expectUnreachable(storeAt(port, { ...access, timeoutMs: UNANSWERED_MS }));
      }
      expect(await said(storeAt(port, { password }), key)).toEqual(['before']);
      expect(await everything(admin)).toEqual(before);
    });

    test('NOPERM is reported for missing keys, commands, and commands inside scripts', async () => {
      const { port, admin, own } = await open();
      await fill(own);
      const before = await everything(admin);
      const asUser = async (...rules: readonly string[]) => {
        await admin.acl('SETUSER', 'host', 'reset', 'on', `>${password}`, ...rules);
        return storeAt(port, { username: 'host', password });
      };
      await expectDenied(await asUser('~elsewhere*', '+@all'));
      await expectDenied(await asUser('~*', '+@connection', '+info'));
      const reader = await asUser('~*', '+@all', '-@write');
      for (const { error } of await errorsOf(reader, additions))
        expect(error.type).toBe('misconfigured');
      expect(await said(reader, key)).toEqual(['before']);
      expect(await idsOf(reader, tenant)).toEqual([key.id]);
      expect(await everything(admin)).toEqual(before);
    });

    test('unknown EVALSHA is reported without the arguments that the server repeats', async () => {
      const { port } = await open('--rename-command', 'EVALSHA', '');
      const errors = await errorsOf(storeAt(port), ['begin']);
      expect(errors).toMatchObject([{ error: { type: 'store_unavailable' } }]);
    });

    test.each(['record', 'journal', 'operations', 'index', 'deadlines', 'tenants'] as const)(
      'WRONGTYPE of the %s never throws, and prevents writes',
      async (name) => {
        const { port, admin, own } = await open();
        await fill(own);
        const damaged = new Keyspace(prefix, 1).of(key)[name];
        await admin.del(damaged);
        await admin.rpush(damaged, 'a list');
        const before = await everything(admin);
        const store = storeAt(port);
        for (const [call, run] of Object.entries(calls)) {
          if (call === 'remove') continue;
          const result = await run(store);
          if (result.isOk()) continue;
          const corrupt = { id: expect.stringMatching(/^(one|two)$/) };
          const unavailable = { type: 'store_unavailable', outcome: 'not_applied' };
          expect(result.error).toMatchObject(
            result.error.type === 'corrupt_record' ? corrupt : unavailable,
          );
          expect(shown(result.error)).not.toContain(SECRET);
        }
        const after = await everything(admin);
        // Of the two sessions, only calls on an intact key may have changed something.
        expect(after[damaged]).toBe(before[damaged]);
        const isShared = name === 'index' || name === 'deadlines' || name === 'tenants';
        expect(new Keyspace(prefix, 1).of(another).record in after).toBe(!isShared);
        // Keys that the tenant's sessions share must be intact; the session's own keys need not be.
        if (isShared) {
          expect(await errorOf(writes.remove(store))).toMatchObject({ type: 'corrupt_record' });
          await admin.del(damaged);
        }
        expect(await remove(store, key)).toEqual({ outcome: 'made' });
        expect(await answerOf(store.find(key))).toBeUndefined();
      },
    );

    test('SCRIPT FLUSH between and during calls fails no call', async () => {
      // Other tests rely on the scripts that the shared server has loaded.
      const { port } = await open();
      const client = openClient(version, { port });
      const flusher = openClient(version, { port });
      const store = new RedisSessionStore({
        client,
        prefix: `flush-${process.pid}-${version}`,
        timeoutMs: PATIENT_MS,
      });
      await begin(store, key, { state: live('IDLE') });
      for (const _ of upTo(3)) {
        await flusher.call('SCRIPT', 'FLUSH');
        expect(await change(store, openAppendOf(key, ['not yet']))).toMatchObject({
          guard: 'open',
        });
      }
      await put(store, key, live('ACTIVE', { revision: 2 }));
      let flushing = true;
      const flushed = (async () => {
        while (flushing) await flusher.call('SCRIPT', 'FLUSH', 'ASYNC');
      })();
      await Promise.all(
        upTo(20).map(async (writer) => {
          for (const at of upTo(20)) await openAppend(store, key, [`${writer} ${at}`]);
        }),
      );
      flushing = false;
      await flushed;
      expect(await said(store, key)).toHaveLength(400);
    });
  });
});
