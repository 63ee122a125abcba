import { err, type ResultAsync } from 'neverthrow';
import type { OperationErrors } from '../session/operation-errors.js';
import { WAITING_LIMIT } from '../session/session-limits.js';
import { tenantOf, type WaitingCount } from './operation-results.js';
import { runOperation } from './run-operation.js';
import type { Settings } from './settings.js';

/** Counts the sessions that wait for a worker: those of the tenant, or of all tenants. */
export const countWaiting = (
  settings: Settings,
  name: 'countWaiting' | 'countWaitingAny',
): ResultAsync<WaitingCount, OperationErrors['countWaiting']> =>
  runOperation(settings, { name, outcome: 'not_applied' }, async () => {
    const time = settings.now();
    if (time.isErr()) return err(time.error);
    const limit = WAITING_LIMIT;
    const counted = await settings.store.countWaiting({
      tenant: tenantOf(name, settings),
      now: time.value,
      limit,
    });
    return counted.map((count) => ({ count, limit }));
  });
