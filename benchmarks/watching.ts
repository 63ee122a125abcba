/**
 * What watching costs a Redis server, and how soon a watcher sees a change of another process.
 *
 *     node --import ./.ci/sources.mjs benchmarks/watching.ts [blocking]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RedisSessionStore } from '../adapters/redis/index.js';
import { SessionService } from '../src/index.js';
import { commandsOf } from '../test/support/redis-commands.js';
import { startRedis } from '../test/support/redis-server.js';

const isBlocking = process.argv[2] === 'blocking';

const percentile = (values: readonly number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN).toFixed(1);

const totalOf = (commands: Readonly<Record<string, number>>): number =>
  Object.entries(commands).reduce((sum, [name, calls]) => (/^(info|client|hello)/.test(name) ? sum : sum + calls), 0);

const measure = async (partitions: number, watchers: number): Promise<void> => {
  const server = await startRedis();
  const clients: Redis[] = [];
  const open = (): Redis => {
    const client = new Redis(server.port);
    clients.push(client);
    return client;
  };
  const serviceOf = (events: object | true): SessionService =>
    new SessionService({
      store: Reflect.construct(RedisSessionStore, [{ client: open(), partitions, timeoutMs: 30_000, events }]),
    });
  const [here, there] = [serviceOf(isBlocking ? { client: open() } : true), serviceOf(true)];
  const sessions: { readonly tenant: string; readonly id: string }[] = [];
  for (let each = 0; each < Math.min(watchers, 4 * partitions); each += 1) {
    const tenant = `tenant-${each}`;
    const created = await there.forTenant(tenant).create({ face: 'ada', profile: 'tutor' });
    const { id } = created._unsafeUnwrap();
    (await there.forTenant(tenant).start(id))._unsafeUnwrap();
    sessions.push({ tenant, id });
  }
  let open_ = 0;
  let onSeen: (id: string) => void = () => undefined;
  const gone: AbortController[] = [];
  for (let each = 0; each < watchers; each += 1) {
    const session = sessions[each % sessions.length];
    if (session === undefined) throw new Error('there is no session');
    const controller = new AbortController();
    gone.push(controller);
    void (async () => {
      const items = here.forTenant(session.tenant).watch(session.id, { signal: controller.signal });
      for await (const item of items) {
        if (item._unsafeUnwrap().type === 'session.snapshot') open_ += 1;
        else onSeen(session.id);
      }
    })();
  }
  while (open_ < watchers) await sleep(10);
  const latencies = async (count: number, quietMs: () => number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let each = 0; each < count; each += 1) {
      await sleep(quietMs());
      const session = sessions[each % sessions.length];
      if (session === undefined) throw new Error('there is no session');
      const seen = new Promise<number>((resolve) => {
        onSeen = (id) => id === session.id && resolve(performance.now());
      });
      (await there.forTenant(session.tenant).append(session.id, [{ role: 'user', content: 'x' }]))._unsafeUnwrap();
      const acknowledged = performance.now();
      found.push(Math.max(0, (await seen) - acknowledged));
    }
    return found;
  };
  const busy = await latencies(100, () => Math.random() * 100);
  const sparse = await latencies(10, () => 2000 + Math.random() * 200);
  await sleep(12_000);
  const before = totalOf(await commandsOf(server.port));
  const cpu = process.cpuUsage();
  await sleep(10_000);
  const { user, system } = process.cpuUsage(cpu);
  const rest = (totalOf(await commandsOf(server.port)) - before) / 10;
  console.log(
    [
      `${isBlocking ? 'blocking' : 'polling'}, ${partitions} partitions, ${watchers} watchers:`,
      `${rest.toFixed(1)} commands/s at rest, ${((user + system) / 100_000).toFixed(1)} % CPU at rest;`,
      `busy p50 ${percentile(busy, 0.5)} p99 ${percentile(busy, 0.99)} ms;`,
      `an event each 2 s p50 ${percentile(sparse, 0.5)} max ${percentile(sparse, 0.99)} ms`,
    ].join(' '),
  );
  for (const controller of gone) controller.abort();
  for (const client of clients) client.disconnect();
  await server.stop();
};

for (const [partitions, watchers] of [
  [1, 1],
  [64, 64],
  [64, 10_000],
] as const) {
  await measure(partitions, watchers);
}
process.exit(0);
