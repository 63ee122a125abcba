import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { REPOSITORY } from './packed-package.js';
import { runNode } from './run.js';

/** Where the workers of a run ask for what is built once for all of them, when the first one needs it. */
export interface Builder {
  readonly url: string;
  stop(): Promise<void>;
}

/** Beside the repository's modules, where what it imports is found, as a package has it. */
const buildIn = async (dir: string): Promise<string> => {
  const dist = join(dir, 'dist');
  const tsup = join(REPOSITORY, 'node_modules', 'tsup', 'dist', 'cli-default.js');
  await runNode([tsup, '--no-dts', '--silent', '--out-dir', dist], REPOSITORY);
  await copyFile(join(REPOSITORY, 'package.json'), join(dir, 'package.json'));
  return join(dist, 'cli', 'main.js');
};

/** In the process of the runner, which all workers share. */
export const startBuilder = async (): Promise<Builder> => {
  let dir: Promise<string> | undefined;
  let built: Promise<string> | undefined;
  const server = createServer((_, response) => {
    dir ??= mkdtemp(join(REPOSITORY, 'node_modules', '.command-line-'));
    built ??= dir.then(buildIn);
    built.then(
      (main) => response.end(main),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      if (dir !== undefined) await rm(await dir, { recursive: true, force: true });
    },
  };
};
