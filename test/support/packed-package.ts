import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, runNode } from './run.js';

export const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface PackedPackage {
  readonly tarball: string;
  /** Folder for projects that install it. */
  readonly dir: string;
  remove(): Promise<void>;
}

/**
 * Returns the package to publish: the tarball in COLLOQUY_TARBALL, or one built and packed here.
 */
export async function packPackage(): Promise<PackedPackage> {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-package-'));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    return { tarball: process.env['COLLOQUY_TARBALL'] ?? (await buildAndPack(dir)), dir, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Builds in a separate folder, so that concurrent tests do not share a `dist`. */
async function buildAndPack(dir: string): Promise<string> {
  const stage = join(dir, 'stage');
  await mkdir(stage);
  for (const name of await readdir(REPOSITORY)) {
    if (!/^(package\.json|docs|[A-Z]+(\.md)?)$/.test(name)) continue;
    await cp(join(REPOSITORY, name), join(stage, name), { recursive: true });
  }
  const tsup = join(REPOSITORY, 'node_modules', 'tsup', 'dist', 'cli-default.js');
  await runNode([join(REPOSITORY, '.ci', 'llms.mjs'), stage], REPOSITORY);
  await runNode([tsup, '--silent', '--out-dir', join(stage, 'dist')], REPOSITORY);
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir], stage);
  const tarball = (await readdir(dir)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  return join(dir, tarball);
}
