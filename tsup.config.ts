import { defineConfig, type Options } from 'tsup';

const library = {
  index: 'src/index.ts',
  memory: 'adapters/memory/index.ts',
  redis: 'adapters/redis/index.ts',
  http: 'src/http/index.ts',
  node: 'adapters/node/index.ts',
  express: 'adapters/express/index.ts',
  koa: 'adapters/koa/index.ts',
  fetch: 'adapters/fetch/index.ts',
  inversify: 'src/inversify/index.ts',
  testing: 'src/testing/index.ts',
};

const shared = { target: 'node20', removeNodeProtocol: false } as const satisfies Options;

const esm: Options = { ...shared, entry: library, format: 'esm' };
const cjs: Options = { ...shared, entry: library, format: 'cjs' };
const declarations: Options = { ...shared, entry: library, format: ['esm', 'cjs'], dts: { only: true } };

// `--no-dts` is for running what was built: the ES modules alone, in a fraction of the time.
export default defineConfig((flags) => (flags.dts === false ? esm : [esm, cjs, declarations]));
