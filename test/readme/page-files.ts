import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { documentOf, root } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

/** What a test changes in the code of a page, for example a port. */
export type Edit = (code: string) => string;

const asWritten: Edit = (code) => code;

/** Writes the files of a page to a folder, on the sources of this repository. Returns the folder. */
export const writeFilesOf = (path: string, edit = asWritten, redisUrl = ''): string => {
  const folder = new SampleFolder();
  onTestFinished(() => folder.remove());
  for (const block of blocksIn(documentOf(path), 'ts')) {
    const name = /^\/\/ (\S+)\n/.exec(block.code)?.[1];
    if (name === undefined) throw new Error(`${block.name} has no file name`);
    folder.write({ ...block, code: edit(block.code) }, redisUrl, name);
  }
  return folder.path;
};

/** Has a server of a page listen on `PORT`, and send a message to its parent when it listens. */
export const onPort: Edit = (code) =>
  code
    .replace('listen(3000,', "listen(Number(process.env['PORT']),")
    .replace(/console\.log\('http:[^']*'\)/, 'process.send?.(0)');

/** Starts a file of a page after some JavaScript. It is killed after the test. */
export const startFile = (folder: string, file: string, port = 0, before = ''): ChildProcess => {
  const imports = [`data:text/javascript,${before}`, join(root, '.ci/sources.mjs')];
  const child = spawn(
    process.execPath,
    [...imports.flatMap((each) => ['--import', each]), join(folder, file)],
    {
      cwd: folder,
      env: { ...process.env, PORT: `${port}` },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** The same for a server. Returns when it listens; rejects with its errors if it ends before. */
export const startServerFile = async (
  folder: string,
  file: string,
  port: number,
  before = '',
): Promise<ChildProcess> => {
  const server = startFile(folder, file, port, before);
  const errors: string[] = [];
  if (server.stderr !== null) {
    createInterface({ input: server.stderr }).on('line', (line) => errors.push(line));
  }
  server.stdout?.resume();
  const ended = once(server, 'exit').then(() => Promise.reject(new Error(errors.join('\n'))));
  await Promise.race([once(server, 'message'), ended]);
  ended.catch(() => {});
  return server;
};
