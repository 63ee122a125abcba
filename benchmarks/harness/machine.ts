import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** What figures depend on, beside the code. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly redis: string;
  readonly packages: Readonly<Record<string, string>>;
  /** How many processors were busy on average just before the run; absent in older results. */
  readonly load?: number | undefined;
  /** The commit that was measured, with a `+` where files had changed since. */
  readonly commit: string;
}

const git = (...args: string[]): string => {
  try {
    return execFileSync('git', args, { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
};

const versionIn = (folder: string): string => {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(`${folder}/package.json`, 'utf8'),
  );
  return version;
};

/** Milliseconds that all processors have worked, and all their time, since the machine started. */
const workedMs = (): { readonly busy: number; readonly all: number } => {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((of) => Object.values(of)).reduce((sum, ms) => sum + ms, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
};

/** Long enough for what works in short bursts. */
const LOOK_MS = 5000;

/**
 * How many processors others keep busy: this process sleeps. A load average would contain
 * the build that every benchmark begins with.
 */
export const loadBefore = async (): Promise<number> => {
  const before = workedMs();
  await sleep(LOOK_MS);
  const after = workedMs();
  return ((after.busy - before.busy) / (after.all - before.all)) * cpus().length;
};

/**
 * This machine, from the project's own folder. `redisInfo` is what the server answers to `INFO
 * server`.
 */
export const describeMachine = (
  redisInfo: string,
  packages: readonly string[],
  load: number,
): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  load: Number(load.toFixed(2)),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()} ${arch()}`,
  node: process.versions.node,
  redis: /^redis_version:(\S+)/m.exec(redisInfo)?.[1] ?? 'none',
  packages: {
    colloquy: versionIn('.'),
    ...Object.fromEntries(packages.map((name) => [name, versionIn(`node_modules/${name}`)])),
  },
  commit: `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain', '--', 'src', 'adapters') && '+'}`,
});
