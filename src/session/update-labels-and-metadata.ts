import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidField } from './errors.js';
import { exceedsBytes } from './exceeds-bytes.js';
import { deepFreeze, sameJson } from './json.js';
import { sameLabels, sortedLabels } from './labels.js';
import { MAX_LABELS } from './limits.js';
import { type NamedCommand, remember } from './remembered-operations.js';
import type { JsonObject, LabelChanges, MetadataChanges, SessionLabels } from './session.js';
import type { StateRecord } from './session-record.js';
import { RESERVED_PREFIX } from './work-state.js';

export interface DataChanges {
  readonly labels: LabelChanges | undefined;
  readonly metadata: MetadataChanges | undefined;
}

export interface DataUpdate extends NamedCommand {
  readonly labels: LabelChanges | undefined;
  readonly metadata: JsonObject | undefined;
}

/** Removes members that are `null` in the changes. */
const merged = <T>(
  before: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): readonly (readonly [string, T])[] => {
  const all = new Map<string, T | null>([...Object.entries(before), ...Object.entries(changes)]);
  return [...all].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
};

const labelsAfter = (
  { labels }: StateRecord,
  changes: LabelChanges | undefined,
): Result<SessionLabels | undefined, InvalidInput> => {
  if (changes === undefined) return ok(labels);
  const kept = merged(labels ?? {}, changes);
  const own = kept.filter(([name]) => !name.startsWith(RESERVED_PREFIX));
  if (own.length <= MAX_LABELS) return ok(sortedLabels(kept));
  const message = `must be at most ${MAX_LABELS} including the labels that the session has`;
  return err(invalidField('labels', message));
};

/** Returns the state's own metadata if nothing changes. */
export const changedMetadata = (
  { metadata }: StateRecord,
  changes: MetadataChanges | undefined,
  metadataBytes: number,
): Result<JsonObject | undefined, InvalidInput> => {
  if (changes === undefined) return ok(metadata);
  const before = metadata ?? {};
  const kept = Object.fromEntries(merged(before, changes));
  if (sameJson(before, kept)) return ok(metadata);
  if (Object.keys(kept).length === 0) return ok(undefined);
  if (!exceedsBytes(JSON.stringify(kept), metadataBytes)) return ok(deepFreeze(kept));
  const message = `must have at most ${metadataBytes} bytes of UTF-8 as JSON, including what the session has`;
  return err(invalidField('metadata', message));
};

/**
 * The next state, of a session in any status; `current` itself if nothing changes. An update
 * doesn't count as activity.
 */
export const updateLabelsAndMetadata = (
  current: StateRecord,
  update: DataUpdate,
): Result<StateRecord, InvalidInput> => {
  const { labels: labelsBefore, metadata: metadataBefore, ...rest } = current;
  const { metadata } = update;
  const labels = labelsAfter(current, update.labels);
  if (labels.isErr()) return err(labels.error);
  if (sameLabels(labelsBefore, labels.value) && metadata === metadataBefore) return ok(current);
  return ok(
    Object.freeze({
      ...rest,
      operations: remember(current, update),
      ...(labels.value && { labels: labels.value }),
      ...(metadata && { metadata }),
    }),
  );
};
