import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from './packed-package.js';
import { run, runNode } from './run.js';

const INSTALL = [
  'install',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--loglevel=error',
];

/** Creates a user's project in its own folder, with `packages` and their dependencies installed. */
export async function createProject(dir: string, packages: readonly string[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeJson(join(dir, 'package.json'), { name: 'consumer', private: true, type: 'module' });
  await run('npm', [...INSTALL, ...packages], dir);
}

/**
 * Returns `name@version` as installed in the repository under this name or alias, because the
 * package manager has that version in its cache.
 */
export async function sameVersion(installed: string): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(join(REPOSITORY, 'node_modules', installed, 'package.json'), {
      encoding: 'utf8',
    }),
  );
  if (
    typeof manifest !== 'object' ||
    manifest === null ||
    !('version' in manifest) ||
    !('name' in manifest)
  ) {
    throw new Error(`no ${installed}`);
  }
  return `${manifest.name}@${manifest.version}`;
}

/**
 * Runs `source` in the project, as an ES module or as CommonJS, and returns the JSON that it
 * printed.
 */
export async function evaluate(
  dir: string,
  format: 'esm' | 'cjs',
  source: string,
): Promise<unknown> {
  const file = join(dir, format === 'esm' ? 'script.mjs' : 'script.cjs');
  await writeFile(file, source);
  return JSON.parse(await runNode([file], dir));
}

const STRICTEST = {
  target: 'ES2023',
  module: 'NodeNext',
  lib: ['ES2022'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  skipLibCheck: false,
  // TypeScript's own library is not under test, and takes longer than everything else.
  skipDefaultLibCheck: true,
};

/**
 * Type-checks `name.ts` in the project under the strictest settings, with all declarations: as an
 * ES module and as CommonJS, which have separate declarations. `npm run package` resolves them the
 * way bundlers do.
 */
export async function typeCheck(
  dir: string,
  name: string,
  source: string,
  types: readonly string[],
): Promise<void> {
  const files = [`${name}.mts`, `${name}.cts`];
  await Promise.all(files.map((file) => writeFile(join(dir, file), source)));
  const config = join(dir, `tsconfig.${name}.json`);
  await writeJson(config, { compilerOptions: { ...STRICTEST, types }, files });
  await runNode(
    [join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', config],
    dir,
  );
}

const writeJson = (file: string, value: unknown) => writeFile(file, JSON.stringify(value, null, 2));
