import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput } from './errors.js';
import { sameLabels, sortedLabels } from './labels.js';
import type { LabelChanges } from './session.js';
import { MAX_LABELS } from './session-limits.js';
import type { StateRecord } from './session-record.js';
import { remember } from './state-at.js';

/** The input of `updateLabels`. */
export interface LabelUpdate {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly changes: LabelChanges;
  /** The name of the command with its input, to recognise a repeated call. */
  readonly command: string;
  readonly operationId: string | undefined;
}

/** The next state, with changed labels, of a session in any status; `current` itself if they are the same. */
export const updateLabels = (
  current: StateRecord,
  { now, changes, command, operationId }: LabelUpdate,
): Result<StateRecord, InvalidInput> => {
  const merged = new Map<string, string | null>([...Object.entries(current.labels ?? {}), ...Object.entries(changes)]);
  const kept = [...merged].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  if (kept.length > MAX_LABELS) {
    const message = `must be at most ${MAX_LABELS} including the labels that the session has`;
    return err(invalidInput([{ path: 'labels', message }]));
  }
  const { labels: before, ...rest } = current;
  const labels = sortedLabels(kept);
  if (sameLabels(before, labels)) return ok(current);
  return ok(
    Object.freeze({
      ...rest,
      lastActivityAt: now,
      operations: remember(current.operations, command, operationId),
      ...(labels && { labels }),
    }),
  );
};
