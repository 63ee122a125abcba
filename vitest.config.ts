import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Most of the time goes into waiting for servers and processes, so that two are not too many for one core.
    maxWorkers: 2,
    // No test is about time; a busy machine is no failure.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'adapters/**/*.ts'],
      // It is tested as users run it, in processes of its own, where the provider cannot look.
      exclude: ['src/cli/**'],
      // A little below what is reached with a redis-server on the PATH.
      thresholds: { statements: 98, branches: 94, functions: 98, lines: 98.5 },
      reporter: ['text-summary', 'html'],
    },
  },
});
