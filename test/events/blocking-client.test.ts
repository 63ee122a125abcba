import { expect, onTestFinished, test, vi } from 'vitest';
import { type BlockingRedisClient, RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { clientVersions, openClient } from '../support/redis-clients.js';
import { commandsOf } from '../support/redis-commands.js';
import { startRedis } from '../support/redis-server.js';
import { okOf, startedIn } from '../support/sessions.js';
import { openProxy } from '../support/tcp-proxy.js';

const said = [{ role: 'user', content: 'hello' }];

const follow = (sessions: SessionService, id: string) => sessions.watch(id)[Symbol.asyncIterator]();

/** The client of ioredis with the method that waits for events. */
const reading = (client: object): { xread(...args: string[]): Promise<unknown> } => {
  const has = (value: object): value is ReturnType<typeof reading> => 'xread' in value;
  if (!has(client)) throw new Error('no client of ioredis');
  return client;
};

const open = async (
  version: (typeof clientVersions)[number],
  through?: (port: number) => Promise<number>,
) => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const waiting = openClient(version, {
    port: (await through?.(server.port)) ?? server.port,
    keyPrefix: 'host:',
  });
  const serviceOf = (events: true | { readonly client: BlockingRedisClient }) =>
    new SessionService({
      store: new RedisSessionStore({
        client: openClient(version, { port: server.port, keyPrefix: 'host:' }),
        partitions: 64,
        events,
        timeoutMs: PATIENT_MS,
      }),
    });
  return {
    port: server.port,
    waiting,
    here: serviceOf({ client: waiting }),
    there: serviceOf(true),
  };
};

describeWithRedis('a Redis connection that blocks for events', () => {
  test.each(clientVersions)(
    "delivers another process's changes, and sends nothing else while idle, with %s",
    async (version) => {
      const { port, here, there } = await open(version);
      const watches: { tenant: string; id: string; watch: ReturnType<typeof follow> }[] = [];
      for (let each = 0; each < 30; each += 1) {
        const tenant = `tenant ${each}`;
        const id = await startedIn(there.forTenant(tenant));
        const watch = follow(here.forTenant(tenant), id);
        onTestFinished(async () => {
          await watch.return?.();
        });
        await watch.next();
        watches.push({ tenant, id, watch });
      }
      for (const { tenant, id, watch } of watches) {
        await okOf(there.forTenant(tenant).append(id, said));
        expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({
          sequence: 3,
          entries: [{}],
        });
      }
      const waits = async () => (await commandsOf(port))['xread'] ?? 0;
      const afterWaits = async (count: number) => {
        const rest = await waits();
        while ((await waits()) < rest + count)
          await new Promise((resolve) => setTimeout(resolve, 50));
      };
      // What was read for the last events.
      await afterWaits(2);
      const reads = async () => (await commandsOf(port))['xrange'] ?? 0;
      const readsWhileIdle = async () => {
        const before = await reads();
        await afterWaits(4);
        return (await reads()) - before;
      };
      // On a busy machine a wait may count as lost, after which all streams are read once.
      await expect.poll(readsWhileIdle, { timeout: PATIENT_MS }).toBe(0);
    },
  );

  test('slows watches down a little, but ends no watch, if it is cut off or closed', async () => {
    let proxy: Awaited<ReturnType<typeof openProxy>> | undefined;
    const { waiting, here, there } = await open('ioredis 5', async (port) => {
      proxy = await openProxy(port);
      return proxy.port;
    });
    const id = await startedIn(there);
    const watch = here.watch(id)[Symbol.asyncIterator]();
    await watch.next();
    const faults = [() => proxy?.speak(), () => waiting.disconnect()];
    for (const [turn, fault] of faults.entries()) {
      fault();
      await okOf(there.append(id, said));
      expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({ sequence: turn + 3 });
    }
    await watch.return?.();
  });

  test('slows watches down a little, but ends no watch, if its command is never answered', async () => {
    const { waiting, here, there } = await open('ioredis 5');
    const id = await startedIn(there);
    const watch = follow(here, id);
    await watch.next();
    vi.spyOn(reading(waiting), 'xread').mockReturnValueOnce(new Promise(() => {}));
    await okOf(there.append(id, said));
    expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({ sequence: 3 });
    await okOf(there.append(id, said));
    expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({ sequence: 4 });
    await watch.return?.();
  });

  test('is not read after the last watch has ended', async () => {
    const { waiting, here, there } = await open('ioredis 5');
    const read = vi.spyOn(reading(waiting), 'xread');
    const id = await startedIn(there);
    const watch = here.watch(id)[Symbol.asyncIterator]();
    await watch.next();
    await vi.waitFor(() => expect(read).toHaveBeenCalled(), { timeout: PATIENT_MS });
    await watch.return?.();
    await vi.waitFor(
      async () => {
        const { length } = read.mock.calls;
        await Promise.all(read.mock.results.map(({ value }) => value));
        expect(read.mock.calls.length).toBe(length);
      },
      { timeout: PATIENT_MS },
    );
  });

  test("is rejected if it is a cluster's client or no client", () => {
    const client = openClient('ioredis 5', { port: 1, lazyConnect: true });
    for (const wrong of [5, {}, { xread: () => 0, xrevrange: () => 0, nodes: () => [] }]) {
      const options = { client, events: { client: wrong } };
      expect(() => Reflect.construct(RedisSessionStore, [options])).toThrow(
        /events\.client must be a client of ioredis, iovalkey or node-redis 6, but not of a cluster/,
      );
    }
  });
});
