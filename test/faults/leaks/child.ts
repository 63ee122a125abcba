import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a worker that reports once and then ends by itself; a process that something keeps alive is
 * never over.
 */
export const reportOf = async <T>(file: string, ...args: readonly string[]): Promise<T> => {
  const child = fork(file, args, { execArgv: ['--expose-gc'] });
  let report: string | undefined;
  child.on('message', (text) => {
    report = String(text);
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 || report === undefined) throw new Error(`the process ended with ${code}`);
  return JSON.parse(report);
};
