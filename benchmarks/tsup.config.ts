import { defineConfig } from 'tsup';

/** Where the package has what `colloquy.ts` imports. */
const published: Readonly<Record<string, string>> = {
  '../src/index.js': 'colloquy',
  '../src/http/index.js': 'colloquy/http',
  '../adapters/memory/index.js': 'colloquy/memory',
  '../adapters/node/index.js': 'colloquy/node',
  '../adapters/redis/index.js': 'colloquy/redis',
};

export default defineConfig({
  entry: {
    main: 'benchmarks/main.ts',
    harness: 'benchmarks/harness/index.ts',
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
    {
      name: 'what-is-published',
      setup({ onResolve }) {
        onResolve({ filter: /^\.\.\/(src|adapters)\// }, ({ path }) => {
          const subpath = published[path];
          return subpath === undefined ? undefined : { path: subpath, external: true };
        });
      },
    },
  ],
});
