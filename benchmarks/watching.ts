/**
 * What watches cost, and how soon they see a change of another process: for each store, beside
 * another build if its folder is given. Saves the figures in `benchmarks/results`.
 *
 *     npm run build && node --import ./.ci/sources.mjs benchmarks/watching.ts [folder of another build]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/postgres-server.js';
import { startRedis } from '../test/support/redis-server.js';
import { sqliteFile } from '../test/support/sqlite-file.js';
import { type Address, openServices, type Session, type Watched } from './watching/process.js';

const WATCHES = 2000;
const here = fileURLToPath(new URL('..', import.meta.url));

const now = (): number => performance.timeOrigin + performance.now();

const percentile = (values: readonly number[], share: number): number =>
  Number(
    (values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN).toFixed(1),
  );

/** Asks the process that watches, and gives its answer. */
const ask = async <T extends Watched['type']>(child: ChildProcess, message: object, type: T) => {
  const answered = new Promise<Extract<Watched, { readonly type: T }>>((resolve) => {
    const listen = (answer: Watched): void => {
      if (answer.type !== type) return;
      child.off('message', listen);
      resolve(Object(answer));
    };
    child.on('message', listen);
  });
  child.send(message);
  return answered;
};

/**
 * Milliseconds from the acknowledgement of an append to its arrival at a watch of another process.
 */
const delaysOf = async (
  child: ChildProcess,
  append: () => Promise<unknown>,
  count: number,
  quietMs: () => number,
) => {
  const delays: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    await sleep(quietMs());
    const seen = once(child, 'message');
    await append();
    const acknowledged = now();
    const [{ at }] = await seen;
    delays.push(Math.max(0, at - acknowledged));
  }
  return delays;
};

/** The figures of one build: `watches` of as many sessions, or of one. */
const measure = async (folder: string, address: Address, ofOne: boolean) => {
  const { sessions, close } = await openServices(folder, address);
  const watched: Session[] = [];
  for (let each = 0; each < (ofOne ? 1 : WATCHES); each += 1) {
    const created = await sessions.create({ face: 'ada', profile: 'tutor', start: true });
    watched.push({ id: created._unsafeUnwrap().id });
  }
  const child = fork(fileURLToPath(new URL('./watching/process.ts', import.meta.url)), {
    execArgv: ['--expose-gc', '--import', `${here}.ci/sources.mjs`],
  });
  await ask(child, { type: 'open', folder, address }, 'ready');
  const { bytes } = await ask(child, { type: 'watch', watched, count: WATCHES }, 'watching');
  let at = 0;
  const append = async (): Promise<void> => {
    at += 7919;
    const { id } = watched[at % watched.length] ?? { id: '' };
    (await sessions.append(id, [{ role: 'user', content: `entry ${at}` }]))._unsafeUnwrap();
  };
  const busy = await delaysOf(child, append, 100, () => 50 + Math.random() * 100);
  const sparse = await delaysOf(child, append, 5, () => 2000 + Math.random() * 200);
  await sleep(2000);
  const { cpu } = await ask(child, { type: 'cpu' }, 'cpu');
  for (let left = 10; left > 0; left -= 1) {
    await append();
    await sleep(1000);
  }
  const after = await ask(child, { type: 'cpu' }, 'cpu');
  child.kill();
  await once(child, 'exit');
  await close();
  return {
    busyP50: percentile(busy, 0.5),
    busyP99: percentile(busy, 0.99),
    sparseP50: percentile(sparse, 0.5),
    sparseMax: percentile(sparse, 0.99),
    bytesPerWatch: Math.round(bytes / WATCHES),
    cpuPercent: Number(((after.cpu - cpu) / 100_000).toFixed(1)),
  };
};

const opened = async () => {
  const redis = await startRedis();
  const postgres = await startPostgres();
  const { file, remove } = sqliteFile();
  const stores: Record<string, Address> = {
    'Redis, polling': { type: 'redis', port: redis.port, isBlocking: false },
    'Redis, blocking': { type: 'redis', port: redis.port, isBlocking: true },
    PostgreSQL: { type: 'postgres', url: postgres.url },
    SQLite: { type: 'sqlite', file },
  };
  const close = async (): Promise<void> => {
    await redis.stop();
    await postgres.stop();
    remove();
  };
  return { stores, close };
};

const { stores, close } = await opened();
const [, , other] = process.argv;
const builds = { 'this build': here, ...(other !== undefined && { 'other build': `${other}/` }) };
const figures: Record<string, unknown>[] = [];
let names = 0;
for (const [store, address] of Object.entries(stores)) {
  for (const ofOne of [false, true]) {
    for (const [build, folder] of Object.entries(builds)) {
      names += 1;
      const found = await measure(folder, { ...address, name: `watching_${names}` }, ofOne);
      figures.push({
        store,
        watches: ofOne ? '2,000 of one session' : '2,000 of 2,000 sessions',
        build,
        ...found,
      });
      console.log(JSON.stringify(figures.at(-1)));
    }
  }
}
await close();
mkdirSync(`${here}benchmarks/results`, { recursive: true });
const date = new Date().toISOString().slice(0, 10);
writeFileSync(
  `${here}benchmarks/results/${date}-watching.json`,
  `${JSON.stringify(figures, undefined, 2)}\n`,
);
