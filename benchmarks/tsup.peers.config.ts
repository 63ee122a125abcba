import { defineConfig } from 'tsup';
import { textFilesInEsbuild } from '../.ci/text-files.js';
import { asPublished } from './as-published.js';

/** The peers' project has a name of its own, so the package is not found by its name there. */
export default defineConfig({
  entry: { main: 'benchmarks/peers/main.ts', claims: 'benchmarks/peers/claims.ts' },
  outDir: 'benchmarks/peers/.build',
  format: 'esm',
  target: 'node22',
  removeNodeProtocol: false,
  clean: true,
  skipNodeModulesBundle: true,
  esbuildPlugins: [asPublished((entry) => `../../../dist/${entry}.js`), textFilesInEsbuild],
});
