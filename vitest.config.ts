import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { inspectorPageInVite } from './.ci/inspector-page.js';
import { textFilesInVite } from './.ci/text-files.js';
import { PATIENT_MS, TEST_MS } from './test/support/patience.js';

/**
 * The fault tests that kill servers or processes, need many of them, or watch a heap. `npm run
 * test:faults:short` tries a little of each, `npm run test:faults` all of it, or all of the files
 * whose paths follow `--`.
 */
const apart = [
  'test/faults/{agents,budgets,crashes,events,failover,leaks,leases,rewinds}/*.test.ts',
  'test/faults/http/{hostile-connections,large-pages,small-chunks,unread-streams}.test.ts',
  'test/faults/postgres/{connections,kill,new-connections,standby,torn-wal}.test.ts',
  'test/faults/races/{deletion,histories,live-sessions,one-caller,one-winner,sweepers}.test.ts',
  'test/faults/refusals/truth.test.ts',
  'test/faults/sqlite/kill.test.ts',
  'test/faults/sweeping/reported-at-least-once.test.ts',
  'test/faults/workers/{lost-wakes,turns}.test.ts',
];

/** Installs the package, which CI has packed; without CI, `npm run test:package` packs it first. */
const ofPackage = ['test/package/package.test.ts'];

const { COLLOQUY_FAULTS: faults, COLLOQUY_TARBALL: tarball, COLLOQUY_TESTS: form } = process.env;
const leftOut = [
  ...(faults === undefined ? apart : []),
  ...(tarball === undefined && form !== 'package' ? ofPackage : []),
];

/** The driver of the samples, and of Drizzle in them, wherever CI has installed it. */
const { BETTER_SQLITE3: driver = '' } = process.env;
const driverInVite =
  driver === ''
    ? []
    : [{ find: /^better-sqlite3$/, replacement: createRequire(import.meta.url).resolve(driver) }];

export default defineConfig({
  plugins: [inspectorPageInVite, textFilesInVite],
  // The examples import what users import: here it stands without a build.
  resolve: {
    alias: [
      { find: /^colloquy$/, replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)) },
      {
        find: /^colloquy\/(ai-sdk)$/,
        replacement: fileURLToPath(new URL('adapters/$1/index.ts', import.meta.url)),
      },
      ...driverInVite,
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
    globalSetup: ['test/support/global-setup.ts'],
    server: { deps: { inline: [/drizzle-orm/] } },
    setupFiles: ['test/support/nothing-left.ts'],
    // A test waits for servers and processes much of the time: three workers keep two cores busy.
    maxWorkers: 3,
    // PGlite is WebAssembly: optimising it takes seconds that a short test never saves.
    execArgv: ['--liftoff-only'],
    // A worker loads each module once and not once for every file, which takes a third of the time.
    isolate: false,
    // No test is about time; a busy machine is no failure. Nothing is tried again: what passes at
    // the second try is a fault.
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: PATIENT_MS } },
    restoreMocks: true,
    unstubEnvs: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'adapters/**/*.ts'],
      // They are tested as users run them, in processes of their own and in a browser, where the
      // provider cannot look.
      exclude: ['src/cli/**', 'src/inspector/page/**'],
      // A little below what is reached with a redis-server on the PATH.
      thresholds: { statements: 98, branches: 94, functions: 98, lines: 98.5 },
      reporter: ['text-summary', 'html'],
    },
  },
});
