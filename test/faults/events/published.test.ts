import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { type SessionEvent, SessionService } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { startedIn } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record, seeds } from '../support/effort.js';

const PROMISE = 'what was acknowledged has been told, also by a process that is killed';
const KILLS = effort(2, 60);
const DUE = effort(100, 5000);

interface Said {
  readonly type: string;
  readonly id?: string;
  readonly position?: number;
}

const gone = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

describeWithRedis('a process that is killed at any time', ({ port }) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('mortal');
  });

  const storeOf = (prefix: string) =>
    new RedisSessionStore({
      client: openClient('ioredis 5', { port }),
      prefix,
      events: { length: 10_000_000 },
    });

  const toldIn = async (store: RedisSessionStore): Promise<readonly SessionEvent[]> => {
    const told: SessionEvent[] = [];
    const { events } = store;
    if (events === undefined) throw new Error('the store has no events');
    for (let position = '0'; ; ) {
      const page = await answerOf(events.read(events.streamOf('default'), position, 5000));
      told.push(...page.events);
      if (page.position === position || page.events.length === 0) return told;
      position = page.position;
    }
  };

  /** Runs a worker, and kills it when it has said so many things, or lets it end. */
  const run = async (job: string, prefix: string, lines: number): Promise<readonly Said[]> => {
    const child = spawn(process.execPath, [worker.file, job, String(port), prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: Said[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      // A kill can tear the last line, which then was not written.
      if (!line.endsWith('}')) break;
      said.push(JSON.parse(line));
      if (said.length === lines) child.kill('SIGKILL');
    }
    await gone(child);
    return said;
  };

  test(
    'has published an event for each acknowledged change, under one sequence each',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const prefix = `told-${process.pid}`;
      const said: Said[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        said.push(...(await run('converse', prefix, 50 + Math.floor(random() * 400))));
      }
      const told = await toldIn(storeOf(prefix));
      const known = new Set(
        told.map((event) => {
          const position = event.type === 'session.appended' ? event.historyPosition : '';
          return `${event.type} ${event.sessionId} ${position}`;
        }),
      );
      const untold = said.filter(
        ({ type, id, position = '' }) => !known.has(`${type} ${id} ${position}`),
      );
      const numbers = new Map<string, number>();
      const disordered = told.filter(({ sessionId, sequence }) => {
        const last = numbers.get(sessionId) ?? 0;
        numbers.set(sessionId, sequence);
        return sequence !== last + 1;
      });
      record({ promise: PROMISE, figure: 'kills of a writing process', value: KILLS });
      record({ promise: PROMISE, figure: 'changes that were acknowledged', value: said.length });
      record({ promise: PROMISE, figure: 'of these not told', value: untold.length, bar: '0' });
      record({
        promise: PROMISE,
        figure: 'events after a gap or out of order',
        value: disordered.length,
        bar: '0',
      });
      expect(untold).toEqual([]);
      expect(disordered).toEqual([]);
      expect(said.length).toBeGreaterThan(KILLS * 40);
    },
    effort(120_000, 600_000),
  );

  test(
    'leaves no overdue end without an event once another process sweeps',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const prefix = `swept-${process.pid}`;
      const store = storeOf(prefix);
      const sessions = new SessionService({ store, clock: new ManualClock() });
      const ids: string[] = [];
      while (ids.length < DUE) {
        ids.push(
          ...(await Promise.all(
            Array.from({ length: 50 }, () => startedIn(sessions, { timeLimit: 60 })),
          )),
        );
      }
      for (let kill = 0; kill < KILLS; kill += 1) {
        const child = spawn(process.execPath, [worker.file, 'sweep', String(port), prefix], {
          stdio: 'pipe',
        });
        // It says so when it begins; some commands later it is no more.
        await Promise.race([once(child.stdout, 'data'), gone(child)]);
        for (let turn = random() * 200; turn > 0; turn -= 1)
          await new Promise((resolve) => setImmediate(resolve));
        child.kill('SIGKILL');
        await gone(child);
      }
      expect(await run('sweep', prefix, Number.POSITIVE_INFINITY)).toContainEqual({
        type: 'swept',
        ok: true,
      });
      const ends = (await toldIn(store)).filter(({ type }) => type === 'session.terminated');
      const untold = new Set(ids).size - new Set(ends.map(({ sessionId }) => sessionId)).size;
      record({
        promise: PROMISE,
        figure: 'ends told, after kills of sweeping processes',
        value: ends.length,
      });
      record({ promise: PROMISE, figure: 'ends not told', value: untold, bar: '0' });
      expect(untold).toBe(0);
      expect(new Set(ends.map(({ id }) => id)).size).toBe(ids.length);
    },
    effort(120_000, 600_000),
  );
});
