import { planRemove } from '../plan/remove.js';
import type { StateRecord } from '../session/session-record.js';
import { postpone, type SweepTask, unchanged } from './postpone-due.js';
import type { SweepOutcome } from './report-end.js';

/**
 * Deletes a session after its retention, or the remains of a removed one if its end is no longer
 * reported.
 */
export const deleteAfterRetention = async (
  task: SweepTask,
  { revision }: StateRecord,
): Promise<SweepOutcome> => {
  const { settings, key, now } = task;
  const removed = await settings.store.remove(planRemove(key, now, { revision }));
  if (removed.isErr()) return postpone(task, removed.error);
  if (removed.value.outcome !== 'made') return unchanged;
  if (key.removal !== undefined) return { isDone: true };
  return { isDone: true, deleted: { tenant: key.tenant, id: key.id } };
};
