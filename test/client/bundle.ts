import { join } from 'node:path';
import { build } from 'esbuild';
import { declarations } from '../../.ci/declarations.js';
import { REPOSITORY } from '../support/packed-package.js';

/**
 * What a page's or an edge runtime's bundler makes of the client, and which of our files and
 * packages are in it.
 */
export const bundleClient = async (): Promise<{
  readonly code: string;
  readonly files: readonly string[];
}> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(REPOSITORY, 'src', 'client', 'index.ts')],
    absWorkingDir: REPOSITORY,
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'iife',
    globalName: 'colloquy',
    // None of Node's modules, and none of its names.
    platform: 'neutral',
    plugins: [declarations({ hasTexts: false })],
    mainFields: ['module', 'main'],
    conditions: ['browser'],
    target: ['chrome111', 'firefox115', 'safari16.4'],
    outfile: join(REPOSITORY, 'client.js'),
  });
  const [output] = Object.values(metafile.outputs);
  return { code: outputFiles[0]?.text ?? '', files: Object.keys(output?.inputs ?? {}) };
};
