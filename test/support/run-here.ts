import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.js';
import type { Finished } from './command-line.js';

let earlier: Promise<unknown> = Promise.resolve();

const runNow = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> => {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text, ...more) => {
      printed[name] += String(text);
      const done = more.find((each) => typeof each === 'function');
      if (typeof done === 'function') done();
      return true;
    }),
  );
  // The width of a terminal is the only setting that no option has.
  vi.stubEnv('COLUMNS', env['COLUMNS']);
  const exitCode = await runCommandLine(args, env).finally(() => {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  });
  return { exitCode, ...printed };
};

/**
 * The command line in this process, one command at a time: a process of its own takes a quarter of
 * a second each.
 */
export const runHere = (
  args: readonly string[],
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> => {
  const finished = earlier.then(() => runNow(args, env));
  earlier = finished.catch(() => undefined);
  return finished;
};
