import { mkdirSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { declarations } from './.ci/declarations.js';
import { inspectorPageInEsbuild } from './.ci/inspector-page.js';
import { sharedSources } from './.ci/shared-sources.js';
import { textFilesInEsbuild } from './.ci/text-files.js';

/** What every host loads, in few files: see `.ci/shared-sources.ts`. */
const engine = {
  index: 'src/index.ts',
  memory: 'adapters/memory/index.ts',
  redis: 'adapters/redis/index.ts',
  sqlite: 'adapters/sqlite/index.ts',
  postgres: 'adapters/postgres/index.ts',
  http: 'src/http/index.ts',
  inversify: 'src/inversify/index.ts',
  simulation: 'src/simulation/index.ts',
};

/** What works with the engine by its types, and alone needs little of it. */
const companions = {
  node: 'adapters/node/index.ts',
  express: 'adapters/express/index.ts',
  koa: 'adapters/koa/index.ts',
  fetch: 'adapters/fetch/index.ts',
  inspector: 'src/inspector/index.ts',
  openapi: 'src/openapi/index.ts',
  telemetry: 'src/telemetry/index.ts',
  'openai-agents': 'adapters/openai-agents/index.ts',
  'claude-agent': 'adapters/claude-agent/index.ts',
  'ai-sdk': 'adapters/ai-sdk/index.ts',
  testing: 'src/testing/index.ts',
};

/** What pages load too. */
const client = { client: 'src/client/index.ts' };

const library = { ...engine, ...companions };

/**
 * The same entries, passed on from files side by side in one folder. The declaration builder makes
 * a whole TypeScript program for every folder that has an entry, at seconds apiece.
 */
function inOneFolder(entries: Readonly<Record<string, string>>): Record<string, string> {
  const folder = '.types';
  mkdirSync(folder, { recursive: true });
  const passOn = ([name, source]: [string, string]) => {
    const file = `${folder}/${name}.mts`;
    const declared = '/// <reference path="../adapters/text-files.d.ts" />';
    writeFileSync(file, `${declared}\nexport * from '../${source.replace(/\.ts$/, '.js')}';\n`);
    return [name, file];
  };
  return Object.fromEntries(Object.entries(entries).map(passOn));
}

const shared = {
  target: 'node20',
  removeNodeProtocol: false,
  esbuildPlugins: [inspectorPageInEsbuild, textFilesInEsbuild, declarations({ hasTexts: true })],
} as const satisfies Options;

const engineEntries = { ...engine, 'cli/main': 'src/cli/main.ts' };

const esm: readonly Options[] = [
  {
    ...shared,
    entry: engineEntries,
    format: 'esm',
    esbuildPlugins: [sharedSources(Object.values(engineEntries)), ...shared.esbuildPlugins],
  },
  { ...shared, entry: companions, format: 'esm' },
  { ...shared, entry: client, format: 'esm', esbuildPlugins: [declarations({ hasTexts: false })] },
];
// nanoid has only ES modules, which `require` loads neither in Jest nor in every Node that may run
// this package: so CommonJS brings its own copy.
const cjs: Options = { ...shared, entry: library, format: 'cjs', noExternal: ['nanoid'] };
const clientCjs: Options = {
  ...cjs,
  entry: client,
  esbuildPlugins: [declarations({ hasTexts: false })],
};

// `AsyncDisposable` is in no library of TypeScript that a user must have set.
const dts = { only: true, banner: '/// <reference lib="esnext.disposable" />' } as const;

// `--no-dts` is for running what was built: the ES modules alone, in a fraction of the time.
export default defineConfig((flags) => {
  if (flags.dts === false) return [...esm];
  const types = inOneFolder({ ...library, ...client });
  return [...esm, cjs, clientCjs, { ...shared, entry: types, format: ['esm', 'cjs'], dts }];
});
