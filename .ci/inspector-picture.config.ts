import { defineConfig } from 'tsup';
import { inspectorPageInEsbuild } from './inspector-page.js';
import { textFilesInEsbuild } from './text-files.js';

export default defineConfig({
  entry: { 'inspector-picture': '.ci/inspector-picture.ts' },
  outDir: '.ci/.build',
  format: 'esm',
  target: 'node20',
  removeNodeProtocol: false,
  clean: true,
  skipNodeModulesBundle: true,
  esbuildPlugins: [inspectorPageInEsbuild, textFilesInEsbuild],
});
