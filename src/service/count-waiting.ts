import { err, type Result } from 'neverthrow';
import { WAITING_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { WaitingCount } from './operation-results.js';
import type { Settings } from './settings.js';

export const countWaiting = async (
  { store, now }: Settings,
  tenant: string | undefined,
): Promise<Result<WaitingCount, OperationErrors['countWaiting']>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const limit = WAITING_LIMIT;
  const counted = await store.countWaiting({ tenant, now: time.value, limit });
  return counted.map((count) => ({ count, limit }));
};
