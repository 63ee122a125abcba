import { describe, expect, onTestFinished, test } from 'vitest';
import { type RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, remove } from '../../../src/testing/commits.js';
import { keyOf, TENANT } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { freePort } from '../../support/free-port.js';
import { inTime } from '../../support/in-time.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientOptions, clientVersions, openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { methods, reads, storeCalls } from '../../support/store-calls.js';
import { openProxy } from '../../support/tcp-proxy.js';

const TIMEOUT = 150;
const GRACE = 50;

/** A server that a client cannot reach, and how to restore it. */
interface Outage {
  readonly port: number;
  readonly options?: ClientOptions;
  recover(): Promise<void>;
}

const nobodyListens = async (options: ClientOptions = {}): Promise<Outage> => {
  const port = await freePort();
  return {
    port,
    options,
    recover: async () => {
      const server = await startRedis({ port });
      onTestFinished(() => server.stop());
    },
  };
};

const stopped = async (): Promise<Outage> => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  process.kill(server.pid, 'SIGSTOP');
  return {
    port: server.port,
    recover: async () => {
      process.kill(server.pid, 'SIGCONT');
    },
  };
};

/** Calls all methods concurrently, and expects each to fail in time with its possible outcome. */
const expectUnavailable = async (store: SessionStore): Promise<void> => {
  await Promise.all(
    methods.map(async (method) => {
      const { late, value } = await inTime(TIMEOUT + GRACE, () => storeCalls[method](store));
      expect({ method, late }).toEqual({ method, late: false });
      const outcome = reads.has(method)
        ? 'not_applied'
        : expect.stringMatching(/^(not_applied|unknown)$/);
      expect({ method, error: value._unsafeUnwrapErr() }).toMatchObject({
        method,
        error: { type: 'store_unavailable', outcome },
      });
    }),
  );
};

describeWithRedis('timeoutMs of a Redis store', ({ port }) => {
  const silentServer = async (): Promise<Outage> => {
    const proxy = await openProxy(port);
    proxy.silence();
    return { port: proxy.port, recover: async () => proxy.speak() };
  };

  const outages: Readonly<Record<string, () => Promise<Outage>>> = {
    'no server listens': () => nobodyListens(),
    'no server listens, enableOfflineQueue: false': () =>
      nobodyListens({ enableOfflineQueue: false }),
    'no server listens, maxRetriesPerRequest: null': () =>
      nobodyListens({ maxRetriesPerRequest: null }),
    'no server listens, maxRetriesPerRequest: 0': () => nobodyListens({ maxRetriesPerRequest: 0 }),
    'a server accepts the connection and never responds': silentServer,
    'a server is stopped': stopped,
  };

  describe.each(clientVersions)('%s', (version) => {
    test.each(Object.keys(outages))(
      'bounds a call while %s, and the first call afterwards succeeds',
      async (name) => {
        const outage = await outages[name]?.();
        if (outage === undefined) throw new Error(`no outage ${name}`);
        const client = openClient(version, { port: outage.port, ...outage.options });
        const prefix = `time-outs-${process.pid}-${version}-${name}`;
        await expectUnavailable(new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT }));
        await outage.recover();
        const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
        await begin(store, keyOf('back'));
        expect(await remove(store, keyOf('back'))).toEqual({ outcome: 'made' });
      },
    );

    test('bounds a call if the server stops in the middle of a conversation', async () => {
      const proxy = await openProxy(port);
      const client = openClient(version, { port: proxy.port });
      const prefix = `time-outs-${process.pid}-${version}-middle`;
      const patient = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
      await begin(patient, keyOf('one'));
      proxy.silence();
      await expectUnavailable(new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT }));
      proxy.speak();
      expect(await answerOf(patient.find(keyOf('two')))).toBeUndefined();
    });

    test.each(['quit', 'disconnect'] as const)(
      'bounds a call after the host closed its client by %s()',
      async (close) => {
        const client = openClient(version, { port });
        const prefix = 'closed';
        await answerOf(
          new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS }).findState(keyOf('one')),
        );
        await client[close]();
        await expectUnavailable(new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT }));
      },
    );
  });

  /** A client whose commands come back late, one after the other. */
  const slowly = (client: RedisClient, ms: number): RedisClient =>
    new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) =>
          new Promise((resolve) => {
            setTimeout(resolve, ms, 0);
          }).then(() => Reflect.apply(value, target, args));
      },
    });

  test('bounds several commands of one call together', async () => {
    const client = openClient('ioredis 5', { port });
    const prefix = `time-outs-${process.pid}-slow`;
    const patient = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(patient, keyOf('one'));
    // An index that is ahead of its sessions needs more than one look.
    await client.call('ZADD', `${prefix}:{0}:index:${TENANT}`, '1', 'gone');
    const store = new RedisSessionStore({
      client: slowly(client, 0.7 * TIMEOUT),
      prefix,
      timeoutMs: TIMEOUT,
    });
    await Promise.all(
      methods.map(async (method) => {
        const { late } = await inTime(TIMEOUT + GRACE, () => storeCalls[method](store));
        expect({ method, late }).toEqual({ method, late: false });
      }),
    );
  });
});
