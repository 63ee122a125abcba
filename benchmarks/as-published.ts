import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** The package's entries for what `colloquy.ts` imports. */
const entries: Readonly<Record<string, string>> = {
  '../src/index.js': 'index',
  '../src/http/index.js': 'http',
  '../src/telemetry/index.js': 'telemetry',
  '../adapters/memory/index.js': 'memory',
  '../adapters/node/index.js': 'node',
  '../adapters/postgres/index.js': 'postgres',
  '../adapters/redis/index.js': 'redis',
  '../adapters/sqlite/index.js': 'sqlite',
};

/** Turns imports of the sources into imports of what is published, from where `locate` says. */
export const asPublished = (locate: (entry: string) => string): Plugin => ({
  name: 'as-published',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(src|adapters)\// }, ({ path }) => {
      const entry = entries[path];
      return entry === undefined ? undefined : { path: locate(entry), external: true };
    });
  },
});
