import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What figures depend on, beside the code. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly redis: string;
  readonly packages: Readonly<Record<string, string>>;
  /** The load average of the minute before the run; absent in older results. */
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
  const { version }: { readonly version: string } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return version;
};

/** This machine, from the project's own folder. `redisInfo` is what the server answers to `INFO server`. */
export const describeMachine = (redisInfo: string, packages: readonly string[]): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  load: loadavg()[0],
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
