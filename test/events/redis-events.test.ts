import { setMaxListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { type SessionChange, SessionService } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { clientVersions, openClient } from '../support/redis-clients.js';
import { commandsOf } from '../support/redis-commands.js';
import { startRedis } from '../support/redis-server.js';
import { createdIn, okOf, startedIn } from '../support/sessions.js';
import { briefOf } from '../support/watching.js';

const said = (content: string) => [{ role: 'user', content }];

describeWithRedis('events through Redis', ({ port }) => {
  test.each(clientVersions)('reach a watch in another process, with %s', async (version) => {
    const prefix = `events-${process.pid}-${version.at(-1)}`;
    const serviceOf = () =>
      new SessionService({
        store: new RedisSessionStore({
          client: openClient(version, { port }),
          prefix,
          events: true,
          timeoutMs: PATIENT_MS,
        }),
      });
    const [here, there] = [serviceOf(), serviceOf()];
    const id = await createdIn(there);
    const seen: string[] = [];
    const watching = (async () => {
      for await (const item of here.watch(id)) {
        const change: SessionChange = item._unsafeUnwrap();
        seen.push(briefOf(change));
        if (seen.length === 1) await okOf(there.start(id));
        if (seen.length === 2) await okOf(there.append(id, said('hello')));
        if (seen.length === 3) await okOf(there.terminate(id));
      }
    })();
    await watching;
    expect(seen).toEqual([
      'snapshot IDLE',
      'changed ACTIVE',
      'changed ACTIVE hello',
      'changed TERMINATED terminated',
    ]);
  });

  test.each(clientVersions)(
    'include all entries for a reader that was away, even if the stream was trimmed, with %s',
    async (version) => {
      const prefix = `events-${process.pid}-${version.at(-1)}-trimmed`;
      const store = new RedisSessionStore({
        client: openClient(version, { port }),
        prefix,
        events: { length: 1 },
        timeoutMs: PATIENT_MS,
      });
      const sessions = new SessionService({ store });
      const id = await startedIn(sessions);
      const first = sessions.watch(id)[Symbol.asyncIterator]();
      const { cursor } = Object((await first.next()).value._unsafeUnwrap());
      await first.return?.();
      // Streams are cut by whole nodes, of 100 entries.
      for (let turn = 0; turn < 300; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
      const again = sessions.watch(id, { cursor: cursor })[Symbol.asyncIterator]();
      const change = (await again.next()).value._unsafeUnwrap();
      expect(change).toMatchObject({
        type: 'session.changed',
        sequence: 302,
        session: { status: 'ACTIVE' },
      });
      expect(Object(change).entries).toHaveLength(300);
      await again.return?.();
    },
  );

  test("reach 10,000 watches over the host's connection with one read for all", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const client = openClient('ioredis 5', { port: server.port });
    const sessions = new SessionService({
      store: new RedisSessionStore({ client, events: true, timeoutMs: PATIENT_MS }),
    });
    const ids: string[] = [];
    for (let each = 0; each < 100; each += 1) ids.push(await startedIn(sessions));
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    let started = 0;
    let ended = 0;
    const watching = Array.from({ length: 10_000 }, async (_, at) => {
      for await (const item of sessions.watch(ids[at % ids.length] ?? '', {
        signal: controller.signal,
      })) {
        const change: SessionChange = item._unsafeUnwrap();
        if (change.type === 'session.snapshot') started += 1;
        if (change.type === 'session.changed' && change.session.status === 'TERMINATED') ended += 1;
      }
    });
    while (started < 10_000) await new Promise((resolve) => setImmediate(resolve));
    const clients = String(await client.call('CLIENT', 'LIST'))
      .trim()
      .split('\n');
    expect(clients).toHaveLength(1);
    const before = (await commandsOf(server.port))['xrange'] ?? 0;
    for (const id of ids.slice(0, 50)) await okOf(sessions.terminate(id));
    while (ended < 5000) await new Promise((resolve) => setImmediate(resolve));
    const reads = ((await commandsOf(server.port))['xrange'] ?? 0) - before;
    expect(reads).toBeLessThan(1000);
    controller.abort();
    await Promise.all(watching);
    expect(ended).toBe(5000);
    // There are no listeners left, so there are no reads.
    const quiet = (await commandsOf(server.port))['xrange'] ?? 0;
    await createdIn(sessions);
    expect(((await commandsOf(server.port))['xrange'] ?? 0) - quiet).toBeLessThanOrEqual(1);
  });

  test('cost no extra command if they are switched off', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const countsOf = async (events: boolean) => {
      const client = openClient('ioredis 5', { port: server.port });
      const prefix = `cost-${events}`;
      const sessions = new SessionService({
        store: new RedisSessionStore({ client, prefix, events, timeoutMs: PATIENT_MS }),
      });
      const live = async (): Promise<void> => {
        const id = await startedIn(sessions);
        await okOf(sessions.append(id, said('hello')));
        await okOf(sessions.append(id, said('hello'), { operationId: 'op' }));
        await okOf(sessions.terminate(id));
      };
      // The server learns the scripts.
      await live();
      const before = await commandsOf(server.port);
      await live();
      const after = await commandsOf(server.port);
      const made = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
      return { scripts: made('evalsha') + made('eval'), tidings: made('xadd') };
    };
    const off = await countsOf(false);
    const on = await countsOf(true);
    expect(off.tidings).toBe(0);
    expect(on).toEqual({ scripts: off.scripts, tidings: 5 });
  });
});
