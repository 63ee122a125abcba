/**
 * Claims of sessions that wait for a worker, because of a wake or a message that is answered, beside
 * BullMQ on the same Redis and beside `FOR UPDATE SKIP LOCKED` by hand on the same PostgreSQL. Saves
 * the figures in `benchmarks/results`.
 *
 *     npm run bench:claims [-- --only redis]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startPostgres } from '../../test/support/postgres-server.js';
import { startRedis } from '../../test/support/redis-server.js';
import {
  createWorker,
  PostgresSessionStore,
  RedisSessionStore,
  SessionService,
  type SessionStore,
} from '../colloquy.js';
import { describeMachine, type GroupResult, loadBefore } from '../harness/index.js';
import { takeTurns } from '../harness/measure.js';
import { serverCpu, usBetween } from '../harness/server-cpu.js';

const ROUNDS = 9;
/** The work of a turn. */
const WAITING = 480;
const CALLERS = 32;

/** Takes up all that waits, `callers` at the same time, and says how many these were. */
interface Subject {
  readonly name: string;
  readonly note?: string;
  readonly fill: () => Promise<unknown>;
  readonly drain: () => Promise<number>;
}

const inParallel = async (callers: number, drain: () => Promise<number>): Promise<number> => {
  const counts = await Promise.all(Array.from({ length: callers }, drain));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Why sessions wait for a worker. */
type Reason = 'wakes' | 'messages';

const MESSAGE = 'I build bridges, mostly of wood. Which one should I draw first?';
const ANSWER = 'The oldest one: it has taught you most of what the others needed.';

/** Sessions that wait, and functions that take them up. */
const sessionsOf = async (service: SessionService, reason: Reason, callers: number) => {
  const sessions = service.orThrow;
  const isAnswer = reason === 'messages';
  const ids: string[] = [];
  for (let each = 0; each < WAITING; each += 1)
    ids.push((await sessions.create({ face: 'ada', profile: 'tutor', start: true })).id);
  const fill = async (): Promise<void> => {
    const make = (id: string) => (isAnswer ? sessions.send(id, MESSAGE) : sessions.wake(id));
    for (let at = 0; at < WAITING; at += 32) await Promise.all(ids.slice(at, at + 32).map(make));
  };
  const done = { done: true, ...(isAnswer && { entries: ANSWER }) };
  const claimOf = (limit: number) => async (): Promise<number> => {
    for (let count = 0; ; ) {
      const { claimed } = await sessions.claim({ holder: 'worker', seconds: 30, limit });
      if (claimed.length === 0) return count;
      await Promise.all(
        claimed.map(({ session, lease: { fencingToken } }) =>
          sessions.release(session.id, { fencingToken, ...done }),
        ),
      );
      count += claimed.length;
    }
  };
  const byWorker = async (): Promise<number> => {
    let count = 0;
    let resolve = (): void => undefined;
    const all = new Promise<void>((end) => {
      resolve = end;
    });
    const run = () => {
      count += 1;
      if (count === WAITING) resolve();
      return isAnswer ? ANSWER : undefined;
    };
    const worker = createWorker(service, { run, concurrency: callers });
    worker.start();
    await all;
    await worker.stop();
    return count;
  };
  return { fill, claimOf, byWorker };
};

/** Each with a tenant of its own, so that the histories of all have the same length. */
const colloquy = async (
  store: SessionStore,
  reason: Reason,
  callers: number,
): Promise<readonly Subject[]> => {
  const open = (name: string) =>
    sessionsOf(new SessionService({ store, tenant: `${name}-${reason}` }), reason, callers);
  const { fill, claimOf } = await open('one');
  if (callers === 1) return [{ name: 'Colloquy, claim and release', fill, drain: claimOf(1) }];
  const [several, worker] = [await open('several'), await open('worker')];
  return [
    {
      name: `Colloquy, ${callers} callers of claim and release`,
      fill,
      drain: () => inParallel(callers, claimOf(1)),
    },
    {
      name: `Colloquy, claim with limit ${callers}, releases in parallel`,
      fill: several.fill,
      drain: several.claimOf(callers),
    },
    {
      name: `Colloquy, createWorker with concurrency ${callers}`,
      fill: worker.fill,
      drain: worker.byWorker,
    },
  ];
};

/** As BullMQ's own worker does it: the call that completes a job fetches the next one. */
const bullmq = (port: number, reason: Reason, callers: number) => {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const name = `${reason}-${callers}`;
  const [content, answer] = reason === 'messages' ? [MESSAGE, ANSWER] : [];
  const queue = new Queue(name, { connection });
  const worker = new Worker(name, null, {
    connection,
    removeOnComplete: { count: 0 },
  });
  const fill = () =>
    queue.addBulk(
      Array.from({ length: WAITING }, (_, at) => ({
        name: 'turn',
        data: { id: `session-${at}`, content },
      })),
    );
  const nextOf = async (job: Job, token: string): Promise<Job | undefined> => {
    const [next, id] = (await job.moveToCompleted(answer ?? null, token, true)) ?? [];
    return next && id ? worker['nextJobFromJobData'](next, id, token) : undefined;
  };
  const drain = async (): Promise<number> => {
    let count = 0;
    const token = `token-${Math.random()}`;
    let job: Job | undefined = await worker.getNextJob(token, { block: false });
    while (job !== undefined) {
      count += 1;
      job = await nextOf(job, token);
    }
    return count;
  };
  const close = async (): Promise<void> => {
    await worker.close();
    await queue.close();
  };
  const subject: Subject = { name: 'BullMQ', fill, drain: () => inParallel(callers, drain) };
  return { subject, close };
};

const CLAIM = `UPDATE jobs SET leased_until = $1, token = token + 1 WHERE id IN (
  SELECT id FROM jobs WHERE due <= $2 AND leased_until <= $2 ORDER BY due LIMIT $3 FOR UPDATE SKIP LOCKED
) RETURNING id, token`;
const DONE = 'UPDATE jobs SET due = NULL, leased_until = 0 WHERE id = $1 AND token = $2';

const byHand = async (pool: Pool, callers: number): Promise<readonly Subject[]> => {
  await pool.query(`CREATE TABLE IF NOT EXISTS jobs (
    id text PRIMARY KEY, due bigint, leased_until bigint NOT NULL DEFAULT 0, token bigint NOT NULL DEFAULT 0);
    CREATE INDEX IF NOT EXISTS jobs_by_due ON jobs (due) WHERE due IS NOT NULL`);
  const ids = Array.from({ length: WAITING }, (_, at) => `session-${at}`);
  await pool.query('INSERT INTO jobs (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [ids]);
  const fill = () => pool.query('UPDATE jobs SET due = $1, leased_until = 0', [Date.now()]);
  const claimOf = (limit: number) => async (): Promise<number> => {
    for (let count = 0; ; ) {
      const now = Date.now();
      const { rows } = await pool.query(CLAIM, [now + 30_000, now, limit]);
      if (rows.length === 0) return count;
      await Promise.all(rows.map(({ id, token }) => pool.query(DONE, [id, token])));
      count += rows.length;
    }
  };
  if (callers === 1) return [{ name: 'SKIP LOCKED by hand', fill, drain: claimOf(1) }];
  return [
    {
      name: `SKIP LOCKED by hand, ${callers} callers`,
      fill,
      drain: () => inParallel(callers, claimOf(1)),
    },
    { name: `SKIP LOCKED by hand, LIMIT ${callers}`, fill, drain: claimOf(callers) },
  ];
};

const measure = async (
  name: string,
  callers: number,
  serverPid: number,
  limits: readonly Subject[],
  subjects: readonly Subject[],
) => {
  const group = {
    name,
    callers,
    limits: limits.map((limit) => limit.name),
    subjects: [...limits, ...subjects],
  };
  const found = await takeTurns(group, ROUNDS, async ({ name: subject, fill, drain }) => {
    await fill();
    const server = serverCpu(serverPid);
    const cpu = process.cpuUsage();
    const began = performance.now();
    const count = await drain();
    const wallUs = ((performance.now() - began) * 1000) / WAITING;
    const { user, system } = process.cpuUsage(cpu);
    const serverUs = usBetween(server, serverCpu(serverPid)) / WAITING;
    if (count !== WAITING) throw new Error(`${subject} has taken up ${count} of ${WAITING}`);
    return { wallUs, cpuUs: (user + system) / WAITING, serverUs };
  });
  for (const { subject, wallUs, cpuUs, serverUs, ratios } of found.measurements) {
    const of = Object.entries(ratios).map(
      ([limit, { wall, least }]) => `${wall.median.toFixed(2)} (${least?.toFixed(2)}) of ${limit}`,
    );
    const rate = Math.round(1_000_000 / wallUs.median);
    const cpu = `${cpuUs.median.toFixed(0)} + ${serverUs?.median.toFixed(0)} us`;
    console.log(`${name} | ${subject} | ${rate} a second | CPU ${cpu} | ${of.join(', ')}`);
  }
  return found;
};

const before = await loadBefore();
const groups: GroupResult[] = [];
const cases: readonly (readonly [Reason, number])[] = [
  ['wakes', 1],
  ['wakes', CALLERS],
  ['messages', CALLERS],
];
const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
const redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
const client = new Redis(redis.port);
for (const [reason, callers] of cases) {
  const { subject, close } = bullmq(redis.port, reason, callers);
  const prefix = `claims-${reason}-${callers}`;
  const store = new RedisSessionStore({ client, prefix, timeoutMs: 30_000 });
  const subjects = await colloquy(store, reason, callers);
  const name = `Redis, ${callers} at a time, ${reason}`;
  groups.push(await measure(name, callers, redis.pid, [subject], subjects));
  await close();
}
const machine = describeMachine(await client.info('server'), [], before);
client.disconnect();
await redis.stop();

const measurePostgres = async (): Promise<void> => {
  const postgres = await startPostgres({ args: ['-c', 'fsync=on'] });
  const pool = new Pool({ connectionString: postgres.url });
  for (const [reason, callers] of cases) {
    const schema = `claims_${reason}_${callers}`;
    const store = new PostgresSessionStore({ pool, schema, timeoutMs: 30_000 });
    (await store.migrate())._unsafeUnwrap();
    const limits = await byHand(pool, callers);
    const subjects = await colloquy(store, reason, callers);
    const name = `PostgreSQL, ${callers} at a time, ${reason}`;
    groups.push(await measure(name, callers, postgres.pid, limits, subjects));
  }
  await pool.end();
  await postgres.stop();
};
if (only !== 'redis') await measurePostgres();

/** The least of BullMQ's rate on Redis, with 32 at a time. */
const BARS = [
  [`Colloquy, ${CALLERS} callers of claim and release`, 0.75],
  [`Colloquy, createWorker with concurrency ${CALLERS}`, 0.6],
] as const;

const bars = groups.flatMap(({ group, measurements }) =>
  BARS.flatMap(([subject, least]) => {
    const found = measurements.find((each) => each.subject === subject)?.ratios['BullMQ'];
    if (found === undefined) return [];
    const value = found.wall.median;
    const figure = `${group}: ${subject}, of BullMQ`;
    return { figure, bar: `>= ${least}`, value, reached: value >= least };
  }),
);
for (const { figure, bar, value, reached } of bars)
  console.log(`${reached ? 'reached' : 'MISSED'} | ${figure} | ${bar} | ${value.toFixed(2)}`);

const date = new Date().toISOString();
mkdirSync('benchmarks/results', { recursive: true });
const file = `benchmarks/results/${date.slice(0, 10)}-claims.json`;
writeFileSync(
  file,
  `${JSON.stringify({ date, machine, rounds: ROUNDS, groups, bars }, undefined, 2)}\n`,
);
