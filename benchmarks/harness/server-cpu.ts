import { readdirSync, readFileSync } from 'node:fs';

/** A file of /proc; '' if its process has ended. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const parentOf = (pid: string): number =>
  Number(/\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`))?.[1]);

/** What the scheduler has counted, since `stat` counts in steps of 10 ms. */
const usedBy = (pid: string): number =>
  namesIn(`/proc/${pid}/task`)
    .map((task) => Number(textOf(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]) / 1000)
    .reduce((sum, us) => sum + us, 0);

/** Microseconds of CPU time so far of a server's process and of each that it has started. */
export type ServerCpu = ReadonlyMap<string, number>;

export const serverCpu = (server: number): ServerCpu => {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  const own = pids.filter((pid) => Number(pid) === server || parentOf(pid) === server);
  return new Map(own.map((pid) => [pid, usedBy(pid)]));
};

/** Microseconds from one look to another, without processes that have ended in between. */
export const usBetween = (before: ServerCpu, after: ServerCpu): number =>
  [...after].reduce((sum, [pid, us]) => sum + us - (before.get(pid) ?? 0), 0);
