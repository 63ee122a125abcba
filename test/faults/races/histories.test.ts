import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { newDatabase } from '../../support/databases.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { startedIn } from '../../support/sessions.js';
import { openProxy } from '../../support/tcp-proxy.js';
import { startPool } from '../../support/worker-pool.js';
import { effort, record, seeds, triedClients, triedDatabases } from '../support/effort.js';
import { describeWithWorker } from './describe-with-worker.js';
import { type Call, isLinear } from './linear.js';
import { emptyModel, step } from './model.js';
import { KEY, witness } from './witness.js';

const CLIENTS = 6;
const CALLS = effort(60, 1500);
const CUT_EVERY = 40;

interface Scene {
  /** Where the figures belong to. */
  readonly promise: string;
  readonly name: string;
  /** A service over an undisturbed connection. */
  readonly sessions: SessionService;
  readonly id: string;
  readonly instant: () => number;
}

/** Fails unless one order of all calls explains what was answered. */
const expectOneOrder = async (
  { promise, name, sessions, id, instant }: Scene,
  seen: readonly Call[],
) => {
  const rest = await witness(sessions, id, { name: 'last', calls: 1, random: () => 0.6, instant });
  const [{ answered } = {}] = rest;
  const kept = new Set<unknown>(Object(answered?.answer).history);
  // An append without an answer whose text is not there at the end was never applied: nothing takes
  // one away.
  const calls = [...seen, ...rest].filter(
    (call) =>
      call.answered !== undefined || call.command.type !== 'append' || kept.has(call.command.text),
  );
  const created = step(emptyModel, { type: 'create', key: KEY, timeLimit: 0 })[0];
  const isExplained = isLinear(calls, step(created, { type: 'start', key: KEY })[0]);
  record({ promise, figure: `calls, ${name}`, value: calls.length });
  record({
    promise,
    figure: `histories of calls without an order, ${name}`,
    value: isExplained ? 0 : 1,
    bar: '0',
  });
  expect(isExplained).toBe(true);
  expect(kept.size).toBeGreaterThan(CALLS);
};

describeWithRedis('clients whose connections are cut constantly', ({ port }) => {
  test.each(triedClients)(
    'see one history and only allowed status changes, with %s',
    async (version) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const proxy = await openProxy(port);
      const prefix = `histories-${process.pid}-${version.replace(' ', '-')}`;
      const serviceAt = (at: number) => {
        const client = openClient(version, { port: at });
        return new SessionService({
          store: new RedisSessionStore({ client, prefix, timeoutMs: 3000 }),
        });
      };
      const sessions = serviceAt(port);
      const id = await startedIn(sessions);
      let [now, calls] = [0, 0];
      const instant = () => ++now;
      const beforeCall = (): void => {
        calls += 1;
        if (calls % CUT_EVERY === 0) proxy.speak();
      };
      const working = Array.from({ length: CLIENTS }, (_, at) =>
        witness(serviceAt(proxy.port), id, {
          name: `${at}`,
          calls: CALLS,
          random,
          instant,
          beforeCall,
        }),
      );
      const promise = 'what concurrent clients saw while connections were cut fits one history';
      record({
        promise,
        figure: `cuts, ${version}`,
        value: Math.floor((CLIENTS * CALLS) / CUT_EVERY),
      });
      const seen = (await Promise.all(working)).flat();
      await expectOneOrder({ promise, name: version, sessions, id, instant }, seen);
    },
    effort(120_000, 600_000),
  );
});

describeWithWorker(
  'clients in several processes',
  (kind, worker) => {
    test(
      'see one history and only allowed status changes',
      async () => {
        const { address, open } = await newDatabase(kind);
        const sessions = new SessionService({ store: open() });
        const id = await startedIn(sessions);
        const pool = await startPool(worker(), 3, address);
        const job = { job: 'witness', id, clients: CLIENTS / 3, calls: CALLS } as const;
        const reports = await pool.run([1, 2, 3].map((seed) => ({ ...job, seed })));
        await pool.stop();
        const promise = 'what clients in several processes saw fits one history';
        const instant = (): number => Number(process.hrtime.bigint() / 1000n);
        const seen = reports.flatMap((report) => report.seen);
        await expectOneOrder({ promise, name: kind.name, sessions, id, instant }, seen);
      },
      effort(120_000, 600_000),
    );
  },
  triedDatabases,
);
