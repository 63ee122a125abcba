import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { type HeapSample, heapAfterCollection, leftSince } from '../heap.js';

/**
 * `churn.cjs VERSION PORT ROUNDS SAMPLES`, with `--expose-gc`: opens, uses and closes one client
 * after another.
 */
export interface ChurnReport {
  readonly samples: readonly HeapSample[];
  readonly failed: number;
  readonly warnings: readonly string[];
  /** Listeners that many stores have left on the shared client. */
  readonly listeners: number;
  /** Resources that keep the process alive at the end and did not at the start. */
  readonly left: readonly string[];
}

const [version = '', ...numbers] = process.argv.slice(2);
const [port = 0, most = 0, wanted = 1] = numbers.map(Number);

const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const open = (): Redis | Redis6 => {
  const options = { port, disconnectTimeout: 10 };
  const client = version === 'ioredis 6' ? new Redis6(options) : new Redis(options);
  client.on('error', () => undefined);
  return client;
};

/** Opens a store and makes a few calls. */
const use = async (client: Redis | Redis6): Promise<number> => {
  const sessions = new SessionService({
    store: new RedisSessionStore({ client, prefix: `churn-${version}` }),
  });
  const created = await sessions.create({ face: 'ada', profile: 'tutor' });
  const id = created.isOk() ? created.value.id : '';
  const outcomes = [
    created,
    await sessions.start(id),
    await sessions.list({ limit: 1 }),
    await sessions.delete(id),
  ];
  return outcomes.filter((outcome) => outcome.isErr()).length;
};

const listenersOn = (client: Redis | Redis6): number =>
  client.eventNames().reduce((sum, name) => sum + client.listenerCount(name), 0);

const work = async (): Promise<void> => {
  const stays = open();
  await use(stays);
  const [listenersBefore, before] = [listenersOn(stays), process.getActiveResourcesInfo()];
  const samples: HeapSample[] = [];
  let failed = 0;
  for (let round = 1; round <= most; round += 1) {
    const client = open();
    failed += (await use(client)) + (await use(stays));
    if (round % 3 === 0) {
      // The host closes during calls: they may fail, but must leave nothing behind.
      const last = use(client);
      client.disconnect();
      await last;
    } else await client.quit();
    if (round % Math.ceil(most / wanted) === 0)
      samples.push({ steps: round, bytes: await heapAfterCollection() });
  }
  const listeners = listenersOn(stays) - listenersBefore;
  const report: ChurnReport = { samples, failed, warnings, listeners, left: leftSince(before) };
  process.send?.(JSON.stringify(report));
  stays.disconnect();
  process.disconnect();
};

work().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
