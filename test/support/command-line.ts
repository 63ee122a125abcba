import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { built } from './built.js';

export interface CommandLine {
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts the program and waits until its output matches. */
  start(
    args: readonly string[],
    until: RegExp,
    env?: Readonly<Record<string, string>>,
  ): Promise<Running>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Close its standard output after the first line, as `head` does. */
  readonly hangUp?: boolean;
}

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  output(): string;
  /** Waits until the output matches. */
  shown(pattern: RegExp): Promise<void>;
  /** Waits until it ends by itself. */
  end(): Promise<Finished>;
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Finished>;
}

const collect = (child: ChildProcess) => {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    printed.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    printed.stderr += chunk;
  });
  const finished = once(child, 'close').then(([exitCode]): Finished => ({ exitCode, ...printed }));
  return { printed, finished };
};

/** A program, by default the command line, which is built once for all files of a run. */
export const buildCommandLine = async (name = 'command-line'): Promise<CommandLine> => {
  const main = await built(name);
  const launch = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [main, ...args], { env: { PATH: process.env['PATH'], ...env } });
  return {
    run: (args, { env, input = '', hangUp = false } = {}) => {
      const child = launch(args, env);
      if (hangUp) child.stdout.once('data', () => child.stdout.destroy());
      child.stdin.end(input);
      return collect(child).finished;
    },
    start: async (args, until, env) => {
      const child = launch(args, env);
      const { printed, finished } = collect(child);
      const shown = (pattern: RegExp) =>
        new Promise<void>((resolve, reject) => {
          const look = () => pattern.test(printed.stdout) && resolve();
          child.stdout.on('data', look);
          look();
          void finished.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
        });
      await shown(until);
      return {
        output: () => printed.stdout,
        shown,
        end: () => finished,
        signal: (signal) => {
          child.kill(signal);
          return finished;
        },
      };
    },
  };
};
