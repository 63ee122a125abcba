import { defineConfig } from 'vitest/config';
import { textFilesInVite } from './.ci/text-files.js';
import { PATIENT_MS } from './test/support/patience.js';

// What is quick and asks no server: a mutant may need all of it.
export default defineConfig({
  plugins: [textFilesInVite],
  test: {
    include: [
      'test/session/session-status.test.ts',
      'test/session/*.test.ts',
      'test/stores/memory.contract.test.ts',
      'test/adapters/memory/*.test.ts',
      'test/adapters/redis/{codecs.properties,journal,keyspace,record,failure}.test.ts',
    ],
    setupFiles: ['test/support/same-cases.ts'],
    testTimeout: 120_000,
    expect: { poll: { timeout: PATIENT_MS } },
  },
});
