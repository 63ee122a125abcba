import { planMove } from '../plan/move.js';
import type { StoreError } from '../session/errors.js';
import type { StateRecord } from '../session/session-record.js';
import type { DueKey } from '../store/session-store.js';
import { type OnEnded, RETRY_AFTER_MS, type SweepOutcome } from './report-end.js';
import type { Settings } from './settings.js';

export interface SweepTask {
  readonly settings: Settings;
  readonly key: DueKey;
  readonly dueAt: number;
  /** When the sweep began, in milliseconds since the epoch. */
  readonly now: number;
  /** Given if the deployment reports ends. */
  readonly onEnded: OnEnded | undefined;
}

export const unchanged: SweepOutcome = { isDone: false };

/** Makes the session due at another time; `state` is undefined for one that cannot be read. */
export const moveDue = async (
  { settings, key, dueAt }: SweepTask,
  to: number,
  state?: StateRecord,
): Promise<SweepOutcome> => {
  const commit = planMove(key, { from: dueAt, to }, state);
  if (commit === undefined) return unchanged;
  const moved = await settings.store.change(commit);
  if (moved.isErr()) return { isDone: false, failed: moved.error };
  return { isDone: moved.value.outcome === 'made' };
};

/**
 * Handles a store error. A damaged session is postponed, and only the sweep that postpones it
 * returns the error.
 */
export const postpone = async (task: SweepTask, error: StoreError): Promise<SweepOutcome> => {
  if (error.type !== 'corrupt_record') return { isDone: false, failed: error };
  const seen = await moveDue(task, task.now + RETRY_AFTER_MS);
  return { ...seen, ...(seen.isDone && { failed: error }) };
};
