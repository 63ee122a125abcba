import { defineConfig } from 'tsup';
import { textFilesInEsbuild } from '../.ci/text-files.js';
import { asPublished } from './as-published.js';

export default defineConfig({
  entry: {
    main: 'benchmarks/main.ts',
    draw: 'benchmarks/draw.ts',
    capacity: 'benchmarks/capacity/main.ts',
    replay: 'benchmarks/replay/main.ts',
    'http-server': 'benchmarks/subjects/http-server.ts',
    'memory-heap': 'benchmarks/subjects/memory-heap.ts',
  },
  outDir: 'benchmarks/.build',
  format: 'esm',
  target: 'node20',
  removeNodeProtocol: false,
  clean: true,
  skipNodeModulesBundle: true,
  esbuildPlugins: [
    asPublished((entry) => (entry === 'index' ? 'colloquy' : `colloquy/${entry}`)),
    textFilesInEsbuild,
  ],
});
