import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StoreAddress } from '../../support/store-address.js';
import type { Worker } from '../../support/worker-pool.js';
import type { Mark } from './judge.js';

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
  /** The chance that it kills itself at each step until then. */
  readonly dies: number;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** Processes with a worker each, until the test ends. */
export const startCrowd = (worker: Worker, size: number, job: CrowdJob) => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-marks-'));
  const file = join(folder, 'marks');
  const start = (): ChildProcess => {
    const args = [worker.file, JSON.stringify({ ...job, marks: file })];
    return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const running = Array.from({ length: size }, start);
  const kill = async (child: ChildProcess | undefined): Promise<void> => {
    if (child === undefined || !isRunning(child)) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
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
      running[at] = start();
    },
    /** Starts others in place of those that have killed themselves; returns their number. */
    revive: (): number => {
      const dead = running.flatMap((child, at) => (isRunning(child) ? [] : [at]));
      for (const at of dead) {
        if (running[at]?.exitCode !== null) throw new Error('a worker has ended by itself');
        running[at] = start();
      }
      return dead.length;
    },
    /** Whether all processes run. */
    isWhole: () => running.every(isRunning),
  };
};
