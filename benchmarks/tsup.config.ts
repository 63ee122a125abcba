import { defineConfig, type Options } from 'tsup';
import { asPublished } from './as-published.js';

const shared = {
  format: 'esm',
  target: 'node20',
  removeNodeProtocol: false,
  clean: true,
  skipNodeModulesBundle: true,
} as const satisfies Options;

const own: Options = {
  ...shared,
  entry: {
    main: 'benchmarks/main.ts',
    draw: 'benchmarks/draw.ts',
    capacity: 'benchmarks/capacity/main.ts',
    'http-server': 'benchmarks/subjects/http-server.ts',
    'memory-heap': 'benchmarks/subjects/memory-heap.ts',
  },
  outDir: 'benchmarks/.build',
  esbuildPlugins: [asPublished((entry) => (entry === 'index' ? 'colloquy' : `colloquy/${entry}`))],
};

/** The peers' project has a name of its own, so the package is not found by its name there. */
const peers: Options = {
  ...shared,
  entry: { main: 'benchmarks/peers/main.ts' },
  outDir: 'benchmarks/peers/.build',
  esbuildPlugins: [asPublished((entry) => `../../../dist/${entry}.js`)],
};

export default defineConfig([own, peers]);
