import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { built } from './built.js';
import type { StoreAddress } from './store-address.js';
import type { Job, Report } from './workers/jobs.js';

export interface Worker {
  readonly file: string;
}

export const bundleWorker = async (name: string): Promise<Worker> => ({ file: await built(name) });

/** Processes that share nothing but a database. */
export interface WorkerPool {
  /** Sends the jobs to the processes concurrently, and waits for all reports. */
  run(jobs: readonly Job[]): Promise<readonly Report[]>;
  stop(): Promise<void>;
}

/** Starts `size` processes, each with a store and a `SessionService` of its own. */
export async function startPool(
  worker: Worker,
  size: number,
  address: StoreAddress,
): Promise<WorkerPool> {
  const args = [JSON.stringify(address)];
  const children = Array.from({ length: size }, () => fork(worker.file, args));
  await Promise.all(children.map(messageOf));
  return {
    run: async (jobs) => {
      const reports = jobs.map((job, index) => ask(children[index], job));
      return Promise.all(reports);
    },
    stop: async () => {
      await Promise.all(children.map(end));
    },
  };
}

async function ask(child: ChildProcess | undefined, job: Job): Promise<Report> {
  if (child === undefined) throw new Error('there are more jobs than processes');
  child.send(JSON.stringify(job));
  return JSON.parse(await messageOf(child));
}

function messageOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('the process has ended without an answer'));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(String(message));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
}
