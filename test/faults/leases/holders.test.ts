import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { HolderReport } from '../../support/workers/holder.js';
import { effort, record, seeds } from '../support/effort.js';

const PROMISE =
  'one holder at a time writes to a session, also where processes are paused, killed or have wrong clocks';
const ROUNDS = effort(1, 60);
const PROCESSES = effort(3, 6);
const FAULTS_PER_ROUND = effort(12, 30);
const SESSIONS = 3;

/** Milliseconds that a process is ahead of the others, or behind. */
const OFFSETS = [0, 0, 0, 0, 150, -150, 2500, -2500, 60_000, -60_000];

/**
 * Longer than each lease, and longer than the time-out of the store, so that calls have an unknown
 * outcome.
 */
const LONG_PAUSE_MS = 1200;

interface Counts {
  stops: number;
  kills: number;
  silences: number;
  cuts: number;
}

/** Processes that fight for some sessions, and all that they say until the end. */
class Fight {
  readonly reports: HolderReport[] = [];
  readonly #start: () => ChildProcess;
  readonly #running: { readonly child: ChildProcess; readonly gone: Promise<unknown> }[] = [];
  readonly #all: Promise<unknown>[] = [];
  readonly #wakings: NodeJS.Timeout[] = [];

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  add(): void {
    const child = this.#start();
    const gone = once(child, 'exit');
    this.#running.push({ child, gone });
    this.#all.push(gone, this.#listen(child));
  }

  pause(at: number, ms: number): void {
    const child = this.#running[at]?.child;
    child?.kill('SIGSTOP');
    this.#wakings.push(setTimeout(() => child?.kill('SIGCONT'), ms));
  }

  async kill(at: number): Promise<void> {
    const [killed] = this.#running.splice(at, 1);
    killed?.child.kill('SIGKILL');
    await killed?.gone;
  }

  async end(): Promise<void> {
    for (const waking of this.#wakings) clearTimeout(waking);
    for (const { child } of this.#running) child.kill('SIGKILL');
    await Promise.all(this.#all);
  }

  async #listen({ stdout }: ChildProcess): Promise<void> {
    if (stdout === null) return;
    for await (const line of createInterface({ input: stdout })) {
      // A line that a kill has torn was never said.
      if (line.endsWith('}')) this.reports.push(JSON.parse(line));
    }
  }
}

/** `holder fencingToken count` of each entry of a history. */
const entryOf = ({ holder, fencingToken, count }: HolderReport): string =>
  `${holder} ${fencingToken} ${count}`;

/** Where the histories contradict what the holders were answered. */
const judge = (
  histories: ReadonlyMap<string, readonly string[]>,
  reports: readonly HolderReport[],
) => {
  const holders = new Map<string, Set<string>>();
  const times = new Map<string, number>();
  let disordered = 0;
  const note = (id: string, fencingToken: number, holder: string) => {
    const known = holders.get(`${id} ${fencingToken}`) ?? new Set();
    holders.set(`${id} ${fencingToken}`, known.add(holder));
  };
  for (const [id, contents] of histories) {
    let last = 0;
    for (const content of contents) {
      const [holder = '', number] = content.split(' ');
      const fencingToken = Number(number);
      if (fencingToken < last) disordered += 1;
      last = fencingToken;
      note(id, fencingToken, holder);
      times.set(`${id} ${content}`, (times.get(`${id} ${content}`) ?? 0) + 1);
    }
  }
  for (const { did, id, fencingToken, holder } of reports)
    if (did === 'leased') note(id, fencingToken, holder);
  const timesOf = (report: HolderReport) => times.get(`${report.id} ${entryOf(report)}`) ?? 0;
  const having = (did: HolderReport['did']) => reports.filter((report) => report.did === did);
  return {
    fencingTokens: holders.size,
    acknowledged: having('appended').length,
    refused: having('refused').length,
    unknown: having('unknown').length,
    wrong: {
      disordered,
      lost: having('appended').filter((report) => timesOf(report) === 0).length,
      doubled: [...times.values()].filter((count) => count > 1).length,
      refusedButThere: having('refused').filter((report) => timesOf(report) > 0).length,
      shared: [...holders.values()].filter(({ size }) => size > 1).length,
      afterRelease: having('kept').length,
      moved: having('moved').length,
    },
  };
};

describeWithRedis('processes that compete for leases', ({ port }) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('holder');
  });

  test(
    'write in the order of their fencing tokens, and each acknowledged write once',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const below = (count: number) => Math.floor(random() * count);
      const prefix = `holders-${process.pid}`;
      const client = openClient('ioredis 5', { port });
      const sessions = new SessionService({ store: new RedisSessionStore({ client, prefix }) });
      const done: Counts = { stops: 0, kills: 0, silences: 0, cuts: 0 };
      const histories = new Map<string, readonly string[]>();
      const reports: HolderReport[] = [];
      let started = 0;

      const round = async (): Promise<void> => {
        const ids = await Promise.all(Array.from({ length: SESSIONS }, () => startedIn(sessions)));
        const fight = new Fight(() => {
          started += 1;
          const offset = OFFSETS[below(OFFSETS.length)] ?? 0;
          const args = [worker.file, String(port), prefix, `p${started}`, String(offset), ...ids];
          return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        });
        for (let each = 0; each < PROCESSES; each += 1) fight.add();
        try {
          await expect.poll(() => fight.reports.length).toBeGreaterThan(20);
          for (let fault = 0; fault < FAULTS_PER_ROUND; fault += 1) {
            const at = below(PROCESSES);
            const kind = random();
            if (kind < 0.6) {
              done.stops += 1;
              fight.pause(at, random() * (random() < 0.4 ? LONG_PAUSE_MS : 100));
            } else if (kind < 0.75) {
              done.kills += 1;
              await fight.kill(at);
              fight.add();
            } else if (kind < 0.85) {
              // Calls run into their time-out, and the server carries them out later.
              done.silences += 1;
              await client.call('CLIENT', 'PAUSE', '300', 'ALL');
            } else {
              // Their clients connect again, and send again what had no answer.
              done.cuts += 1;
              await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            }
            await wait(random() * 160);
          }
        } finally {
          await fight.end();
        }
        for (const id of ids) {
          const { history } = await okOf(sessions.get(id));
          histories.set(
            id,
            history.map(({ content }) => content),
          );
        }
        reports.push(...fight.reports);
      };
      for (let each = 0; each < ROUNDS; each += 1) await round();

      const { wrong, ...found } = judge(histories, reports);
      const figures = {
        'processes paused': done.stops,
        'processes killed': done.kills,
        'times that the server was silent': done.silences,
        'times that all connections were cut': done.cuts,
        'leases of different fencing tokens': found.fencingTokens,
        'appends that were acknowledged': found.acknowledged,
        'appends that were refused': found.refused,
        'appends without an answer': found.unknown,
      };
      const bars = {
        'entries after one of a higher fencing token': wrong.disordered,
        'acknowledged appends that are missing': wrong.lost,
        'appends that are there twice': wrong.doubled,
        'refused appends that are there': wrong.refusedButThere,
        'fencing tokens of two holders': wrong.shared,
        'appends that were acknowledged after the release': wrong.afterRelease,
        'repeated appends with another position or refused': wrong.moved,
      };
      for (const [figure, value] of Object.entries(figures))
        record({ promise: PROMISE, figure, value });
      for (const [figure, value] of Object.entries(bars))
        record({ promise: PROMISE, figure, value, bar: '0' });
      expect(Object.entries(bars).filter(([, value]) => value !== 0)).toEqual([]);
      expect(found.acknowledged).toBeGreaterThan(ROUNDS * 50);
      expect(found.fencingTokens).toBeGreaterThan(ROUNDS * SESSIONS);
      expect(found.refused).toBeGreaterThan(0);
    },
    effort(120_000, 900_000),
  );
});
