/**
 * How soon a message reaches `run` of a waiting worker in another process, beside the least that
 * hears of work on the same database, how soon one follows a worker that has crashed, and what a
 * worker costs that has nothing to do. Saves the figures in `benchmarks/results`.
 *
 *     npm run build && node --import ./.ci/sources.mjs benchmarks/working.ts [--only postgres]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { openPool } from '../test/support/postgres-schema.js';
import { startPostgres } from '../test/support/postgres-server.js';
import { startRedis } from '../test/support/redis-server.js';
import { sqliteFile } from '../test/support/sqlite-file.js';
import { loadBefore } from './harness/machine.js';
import { quantileOf } from './harness/statistics.js';
import { type Address, openServices } from './watching/process.js';
import type { Worked, WorkingJob } from './working/process.js';

/** Messages to a store that notifies, with random pauses between them, and other calls. */
const SENDS = 2000;
const OTHERS = 200;
const PAUSE_MS = 20;
/** Many, so that their histories are short. */
const SESSIONS = 100;
/** Bars for a store that notifies, in milliseconds. */
const BARS = { p50: 5, p99: 50 };
const CRASHES = 12;
const LEASE_S = 1;
const IDLE_S = 10;
const here = fileURLToPath(new URL('..', import.meta.url));

const now = (): number => performance.timeOrigin + performance.now();
const part = (values: readonly number[], of: number): number =>
  Number(quantileOf(values, of).toFixed(1));

/** The next message of a type. */
const heard = <T extends Worked['type']>(child: ChildProcess, type: T) =>
  new Promise<Extract<Worked, { readonly type: T }>>((resolve) => {
    const listen = (message: Worked): void => {
      if (message.type !== type) return;
      child.off('message', listen);
      resolve(Object(message));
    };
    child.on('message', listen);
  });

const start = async (job: WorkingJob): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL('./working/process.ts', import.meta.url)), {
    execArgv: ['--import', `${here}.ci/sources.mjs`],
  });
  const ready = heard(child, 'ready');
  child.send(job);
  await ready;
  return child;
};

const end = async (child: ChildProcess): Promise<void> => {
  child.kill();
  await once(child, 'exit');
};

/**
 * Milliseconds from the begin of a call that makes work to the begin of the work in the other
 * process.
 */
const delaysOf = async (
  child: ChildProcess,
  make: () => Promise<unknown>,
  count = OTHERS,
): Promise<readonly number[]> => {
  const delays: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    await sleep(PAUSE_MS * (0.5 + Math.random()));
    const begun = heard(child, 'begun');
    const from = now();
    await make();
    delays.push((await begun).at - from);
  }
  return delays;
};

/** How work is handed over by hand. SQLite notifies no other process. */
const openByHand = async (address: Address) => {
  if (address.type === 'redis') {
    const client = new Redis(address.port);
    const make = () => client.rpush(`${address.name}:by-hand`, 'turn');
    return { make, close: async () => client.disconnect() };
  }
  if (address.type === 'sqlite') return undefined;
  const pool = openPool(address);
  await pool.query(
    'CREATE TABLE IF NOT EXISTS by_hand (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
  );
  const make = () =>
    pool.query('WITH made AS (INSERT INTO by_hand DEFAULT VALUES) SELECT pg_notify($1, $2)', [
      'by_hand',
      '',
    ]);
  return { make, close: () => pool.end() };
};

const measureByHand = async (address: Address): Promise<readonly number[] | undefined> => {
  const hand = await openByHand(address);
  if (hand === undefined) return undefined;
  const child = await start({ kind: 'by hand', folder: here, address });
  const delays = await delaysOf(child, hand.make);
  await end(child);
  await hand.close();
  return delays;
};

/** Whether the store notifies workers of other processes. */
const isNotified = (address: Address): boolean =>
  address.type === 'postgres' || (address.type === 'redis' && address.isBlocking);

const measure = async (address: Address) => {
  const { sessions, close } = await openServices(here, address);
  const { orThrow } = sessions;
  const ids: string[] = [];
  for (let left = SESSIONS; left > 0; left -= 1)
    ids.push((await orThrow.create({ face: 'ada', profile: 'tutor', start: true })).id);
  const [id = ''] = ids;
  const byHand = await measureByHand(address);
  const child = await start({ kind: 'worker', folder: here, address });
  let turn = 0;
  const send = () => {
    turn += 1;
    return orThrow.send(ids[turn % SESSIONS] ?? id, `turn ${turn}`);
  };
  const delays = await delaysOf(child, send, isNotified(address) ? SENDS : OTHERS);
  const afterLease: number[] = [];
  for (let left = CRASHES; left > 0; left -= 1) {
    await sleep(Math.random() * 1000);
    // A worker treats a lease that is never renewed as one of a crashed worker.
    const { until } = await orThrow.lease(id, { holder: 'crashed', seconds: LEASE_S });
    await orThrow.wake(id);
    afterLease.push((await heard(child, 'begun')).at - Date.parse(until));
  }
  await sleep(2000);
  const costOf = async () => {
    const cost = heard(child, 'cost');
    child.send('cost');
    return cost;
  };
  const before = await costOf();
  await sleep(IDLE_S * 1000);
  const after = await costOf();
  await end(child);
  await close();
  const [p50, p99] = [part(delays, 0.5), part(delays, 0.99)];
  return {
    sends: delays.length,
    p50,
    p99,
    ...(isNotified(address) && { bars: BARS, meetsBars: p50 <= BARS.p50 && p99 <= BARS.p99 }),
    ...(byHand && { byHandP50: part(byHand, 0.5), byHandP99: part(byHand, 0.99) }),
    ...(byHand && {
      timesByHandP50: Number((quantileOf(delays, 0.5) / quantileOf(byHand, 0.5)).toFixed(1)),
    }),
    afterLeaseP50: part(afterLease, 0.5),
    afterLeaseMax: part(afterLease, 1),
    idleCpuPercent: Number(((after.cpu - before.cpu) / IDLE_S / 10_000).toFixed(2)),
    idleCallsPerSecond: Number(((after.calls - before.calls) / IDLE_S).toFixed(1)),
  };
};

const load = await loadBefore();
const redis = await startRedis();
const postgres = await startPostgres();
const { file, remove } = sqliteFile();
const stores: Record<string, Address> = {
  'Redis, blocking': { type: 'redis', port: redis.port, isBlocking: true, name: 'blocking' },
  'Redis, polling': { type: 'redis', port: redis.port, isBlocking: false, name: 'polling' },
  PostgreSQL: { type: 'postgres', url: postgres.url, name: 'working' },
  SQLite: { type: 'sqlite', file, name: 'working' },
};
const figures: Record<string, unknown>[] = [];
const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
for (const [store, address] of Object.entries(stores)) {
  if (!store.toLowerCase().includes(only)) continue;
  figures.push({ store, load, ...(await measure(address)) });
  console.log(JSON.stringify(figures.at(-1)));
}
await redis.stop();
await postgres.stop();
remove();
mkdirSync(`${here}benchmarks/results`, { recursive: true });
const date = new Date().toISOString().slice(0, 10);
writeFileSync(
  `${here}benchmarks/results/${date}-working.json`,
  `${JSON.stringify(figures, undefined, 2)}\n`,
);
