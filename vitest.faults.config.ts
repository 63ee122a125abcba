import { defineConfig } from 'vitest/config';
import { textFilesInVite } from './.ci/text-files.js';
import { PATIENT_MS } from './test/support/patience.js';

// One file at a time: what one test does to its servers must not slow down the server of another.
export default defineConfig({
  plugins: [textFilesInVite],
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/faults/support/figures.ts'],
    env: { COLLOQUY_FAULTS: 'full' },
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: PATIENT_MS } },
  },
});
