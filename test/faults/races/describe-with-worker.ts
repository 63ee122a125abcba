import { beforeAll } from 'vitest';
import { type DatabaseKind, describeDatabases } from '../../support/databases.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';

/**
 * `describeDatabases` with a bundle of the process that works on sessions, there once the tests
 * run.
 */
export const describeWithWorker = (
  name: string,
  define: (kind: DatabaseKind, worker: () => Worker) => void,
  kinds?: readonly DatabaseKind[],
): void =>
  describeDatabases(
    name,
    (kind) => {
      let worker: Worker;
      beforeAll(async () => {
        worker = await bundleWorker('session-worker');
      });
      define(kind, () => worker);
    },
    kinds,
  );
