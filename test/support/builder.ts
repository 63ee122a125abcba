import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'tsup';
import { textFilesInEsbuild } from '../../.ci/text-files.js';
import { REPOSITORY } from './packed-package.js';
import { runNode } from './run.js';

/**
 * The server that builds a program when the first test worker needs it, once for the run: the
 * command line under `command-line`, a script of `test/support/workers` under its name, and any
 * other program under its path.
 */
export interface Builder {
  readonly url: string;
  stop(): Promise<void>;
}

/** In a folder next to `node_modules`, so that imports resolve as they do in a package. */
const buildCommandLine = async (dir: string): Promise<string> => {
  const dist = join(dir, 'dist');
  const tsup = join(REPOSITORY, 'node_modules', 'tsup', 'dist', 'cli-default.js');
  await runNode([tsup, '--no-dts', '--silent', '--out-dir', dist], REPOSITORY);
  await copyFile(join(REPOSITORY, 'package.json'), join(dir, 'package.json'));
  return join(dist, 'cli', 'main.js');
};

/** Bundles a program into one file for every supported Node, without drivers that have binaries. */
const bundle = async (dir: string, name: string): Promise<string> => {
  await build({
    config: false,
    entry: {
      [name]: join(REPOSITORY, name.includes('/') ? '' : 'test/support/workers', `${name}.ts`),
    },
    outDir: dir,
    clean: false,
    format: 'cjs',
    target: 'node20',
    noExternal: [/^(?!libsql$)/],
    esbuildPlugins: [textFilesInEsbuild],
    outExtension: () => ({ js: '.cjs' }),
    silent: true,
  });
  return join(dir, `${name}.cjs`);
};

/** Starts the builder in the process of the runner, which all workers share. */
export const startBuilder = async (): Promise<Builder> => {
  let dir: Promise<string> | undefined;
  const built = new Map<string, Promise<string>>();
  const server = createServer(({ url: path = '' }, response) => {
    dir ??= mkdtemp(join(REPOSITORY, 'node_modules', '.built-for-tests-'));
    const name = path.slice(1);
    const file =
      built.get(name) ??
      dir.then((folder) =>
        name === 'command-line' ? buildCommandLine(folder) : bundle(folder, name),
      );
    built.set(name, file);
    file.then(
      (text) => response.end(text),
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
