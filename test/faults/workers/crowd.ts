import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StoreAddress } from '../../support/store-address.js';
import type { Worker } from '../../support/worker-pool.js';
import type { Mark } from './marks.js';

/** The job of each process. */
export interface CrowdJob {
  readonly address: StoreAddress;
  /** Sessions that a process works on at the same time. */
  readonly concurrency: number;
  /** The length of a lease. */
  readonly seconds: number;
  /** The sessions that it talks in. */
  readonly ids: readonly string[];
  /** Until when it talks, in milliseconds since the epoch. */
  readonly talksUntil: number;
  /** How long a process lives on average before it kills itself. */
  readonly livesMs: number;
}

interface Member {
  readonly who: number;
  readonly child: ChildProcess;
}

const isRunning = ({ child: { exitCode, signalCode } }: Member): boolean =>
  exitCode === null && signalCode === null;

/**
 * Processes until the test ends. The first one is a host without a worker, which answers in `reply`
 * only.
 */
export const startCrowd = (worker: Worker, size: number, job: CrowdJob) => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-marks-'));
  const file = join(folder, 'marks');
  let started = 0;
  const start = (at: number): Member => {
    started += 1;
    const given = { ...job, who: started, works: at > 0, marks: file };
    const args = [worker.file, JSON.stringify(given)];
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    return { who: started, child: spawn(process.execPath, args, { stdio: [...stdio] }) };
  };
  const running = Array.from({ length: size }, (_, at) => start(at));
  const kill = async (member: Member | undefined): Promise<void> => {
    if (member === undefined || !isRunning(member)) return;
    const { who, child } = member;
    const died: Mark = { did: 'died', who, step: 'anywhere', at: Date.now() };
    child.kill('SIGKILL');
    await once(child, 'exit');
    appendFileSync(file, `${JSON.stringify(died)}\n`);
  };
  onTestFinished(async () => {
    await Promise.all(running.map(kill));
    rmSync(folder, { recursive: true, force: true });
  });
  const marks = (): readonly Mark[] => {
    const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
    return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
  };
  return {
    marks,
    /** Kills one process, and starts another in its place. */
    replace: async (at: number): Promise<void> => {
      await kill(running[at]);
      running[at] = start(at);
    },
    /** Starts others in place of those that have killed themselves. */
    revive: (): void => {
      running.forEach((member, at) => {
        if (isRunning(member)) return;
        if (member.child.exitCode !== null) throw new Error('a process has ended by itself');
        running[at] = start(at);
      });
    },
    /** Whether all processes run. */
    isWhole: () => running.every(isRunning),
  };
};
