import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { documentOf, root, rowsOf } from '../readme/documents.js';
import { built } from '../support/built.js';

interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningExample {
  /** Waits until it has printed what matches, and gives the match. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Finished>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  readonly finished: Promise<Finished>;
}

/** The examples that the table names, and the lines that run them. */
export const documentedLines: ReadonlyMap<string, string> = new Map(
  rowsOf(documentOf('examples/README.md'), 'Example', 'Command').map(([name = '', line = '']) => [
    /^\[(.+?)(?:\.ts)?\]/.exec(name)?.[1] ?? name,
    line,
  ]),
);

const lineOf = (name: string): string => {
  const line = documentedLines.get(name);
  if (line === undefined) throw new Error(`examples/README.md has no command for ${name}`);
  return line;
};

/** The built package: to compile it takes longer than all that an example does. */
const COLLOQUY_BUILT = dirname(dirname(dirname(await built('command-line'))));
const withBuilt = ['--import', './test/support/built-package.mjs'];

const running = new Set<ChildProcess>();

/** Ends what a test that has failed has left behind. */
export const stopAll = (): void => {
  for (const child of running) {
    child.kill('SIGCONT');
    child.kill('SIGTERM');
  }
};

/** Runs an example by its documented line, but on a free port and with the settings given here. */
export const runExample = (
  name: string,
  settings?: Readonly<Record<string, string>>,
): RunningExample => runLine(lineOf(name), settings);

export const runLine = (
  line: string,
  settings: Readonly<Record<string, string>> = {},
): RunningExample => {
  const words = line.split(' ');
  const program = words.indexOf('node');
  const documented = Object.fromEntries(
    words.slice(0, program).map((word) => word.split(/=(.*)/s)),
  );
  const env = {
    PATH: process.env['PATH'],
    PORT: '0',
    COLLOQUY_BUILT,
    ...documented,
    ...settings,
  };
  const file = words.length - 1;
  const args = [...words.slice(program + 1, file), ...withBuilt, ...words.slice(file)];
  const child = spawn(process.execPath, args, { cwd: root, env });
  running.add(child);
  let [stdout, stderr] = ['', ''];
  let look: () => void = () => undefined;
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    look();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = once(child, 'close').then(([exitCode]): Finished => {
    running.delete(child);
    return { exitCode, stdout, stderr };
  });
  return {
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = pattern.exec(stdout);
          if (found !== null) resolve(found);
        };
        look();
        void finished.then(() => reject(new Error(`${line} has ended: ${stdout}\n${stderr}`)));
      }),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return finished;
    },
    signal: (signal) => {
      child.kill(signal);
    },
    finished,
  };
};
