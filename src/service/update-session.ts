import { err, ok, type Result } from 'neverthrow';
import { parseUpdate, parseUpdateOptions } from '../input/command-inputs.js';
import { fitSchemas } from '../input/fit-schemas.js';
import { noneIfEmpty } from '../input/json-values.js';
import { digestOf } from '../session/digest-of.js';
import { conflict, revisionMoved } from '../session/errors.js';
import { canonicalJson, sameJson } from '../session/json.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { JsonObject, LabelChanges, SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { MetadataChangesOf, SessionSchemas } from '../session/session-schemas.js';
import { endByClock } from '../session/time-limits.js';
import {
  changedMetadata,
  type DataChanges,
  updateLabelsAndMetadata,
} from '../session/update-labels-and-metadata.js';
import type { SessionKey } from '../store/session-store.js';
import { applyCommand, type FencedCommand, type OperationOptions } from './apply-command.js';
import { fenced, type Settings } from './settings.js';
import { type Decision, updateState } from './update-state.js';

/** Input of `update`: labels, metadata, or both. */
export interface UpdateInput<T extends SessionSchemas = SessionSchemas> {
  /**
   * The labels to change, for example `{ title: 'Tax return', draft: null }`: a string sets a
   * label, `null` removes it, and the others stay. A session has at most 8.
   */
  readonly labels?: LabelChanges | undefined;
  /**
   * The metadata to change: a value replaces the entire member of its name, `null` removes it, and
   * the others stay. The result has at most `limits.metadataBytes`.
   */
  readonly metadata?: MetadataChangesOf<T> | undefined;
}

/**
 * Options of `update`.
 *
 * @example
 * ```ts
 * const { revision } = await sessions.orThrow.get(id);
 * await sessions.orThrow.update(id, { metadata: { rating: 4 } });
 * const late = await sessions.update(id, { metadata: { rating: 5 } }, { ifRevision: revision });
 * console.log(late.isErr() && late.error.type); // conflict
 * ```
 */
export interface UpdateOptions extends OperationOptions {
  /**
   * Update only if the session still has this `revision`, which a read, a command or an update has
   * returned. Otherwise the update fails with `conflict`. Default: no check.
   */
  readonly ifRevision?: number | undefined;
}

/** An expiry is stored first, so that its event precedes the event of a later update. */
const unstoredEnd = { type: 'unstored_end' } as const;

const hasMovingEnd = ({ status, terms }: StateRecord): boolean =>
  status === 'ACTIVE' && terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY;

type Update = FencedCommand & { readonly changes: DataChanges };

type Metadata = JsonObject | undefined;

/** The metadata after an update; a promise only if a schema of the host must check them. */
const metadataAfter = (
  { policy: { schemas, limits } }: Settings,
  current: StateRecord,
  { changes }: Update,
): Decision<Metadata, OperationErrors['update']> => {
  const { metadata: before } = current;
  const changed = changedMetadata(current, changes.metadata, limits.metadataBytes);
  if (schemas === undefined || changed.isErr() || changed.value === before) return changed;
  return fitSchemas(schemas, limits, { metadata: changed.value }).then((fitted) =>
    fitted.map(({ metadata = {} }) =>
      sameJson(before ?? {}, metadata) ? before : noneIfEmpty(metadata),
    ),
  );
};

const decide =
  (settings: Settings, { id }: SessionKey, update: Update, ifRevision: number | undefined) =>
  (
    current: StateRecord,
    now: number,
    isGuess: boolean,
  ): Decision<StateRecord, OperationErrors['update'] | typeof unstoredEnd> => {
    // Appends may have moved the end of the session, which is in the result. On an error,
    // `updateState` reads the state.
    if (isGuess && hasMovingEnd(current)) return err(unstoredEnd);
    if (current.revision !== (ifRevision ?? current.revision)) return err(revisionMoved(id));
    const next = (metadata: Metadata) => {
      const { labels } = update.changes;
      const updated = updateLabelsAndMetadata(current, { ...update, labels, metadata });
      const isUpdate = updated.isOk() && updated.value !== current;
      if (isUpdate && endByClock(current, now) !== undefined) return err(unstoredEnd);
      return updated;
    };
    const metadata = metadataAfter(settings, current, update);
    if (metadata instanceof Promise) return metadata.then((fitted) => fitted.andThen(next));
    return metadata.andThen(next);
  };

/**
 * Stores the end of a session that has expired. Returns the revision that an update may expect
 * after it.
 */
const storeEnd = async (
  settings: Settings,
  key: SessionKey,
  ifRevision: number | undefined,
): Promise<Result<number | undefined, OperationErrors['update']>> => {
  let ended: number | undefined;
  const updated = await updateState<StateRecord, never>(settings, key, (current, now) => {
    ended = current.revision;
    return ok(endByClock(current, now) ?? current);
  });
  return updated.map(({ state }) => (ended === ifRevision ? state.revision : ifRevision));
};

const commandWith = (operationId: string | undefined, changes: DataChanges): string => {
  // A digest costs as much as a small update; only a repeated call is compared by it.
  if (operationId === undefined) return 'update';
  return `update-${digestOf(canonicalJson(changes))}`;
};

export const updateSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['update']>> => {
  const parsed = parseUpdate(input, settings.policy);
  if (parsed.isErr()) return err(parsed.error);
  const read = parseUpdateOptions(options);
  if (read.isErr()) return err(read.error);
  const changes = parsed.value;
  const given = fenced(settings, key, read.value);
  let { ifRevision } = given;
  const update = { ...given, command: commandWith(given.operationId, changes), changes };
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const next = decide(settings, key, update, ifRevision);
    const updated = await applyCommand(settings, key, update, next);
    if (updated.isOk()) return ok(updated.value);
    if (updated.error.type !== 'unstored_end') return err(updated.error);
    const ended = await storeEnd(settings, key, ifRevision);
    if (ended.isErr()) return err(ended.error);
    ifRevision = ended.value;
  }
  return err(conflict(key.id));
};
