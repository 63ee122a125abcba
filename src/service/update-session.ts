import { err, ok, type Result } from 'neverthrow';
import { parseUpdate, parseUpdateOptions } from '../input/command-inputs.js';
import { canonicalJson } from '../session/canonical-json.js';
import { digestOf } from '../session/digest-of.js';
import { conflict, revisionMoved } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { LabelChanges, MetadataChanges, SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { endByClock } from '../session/state-at.js';
import {
  type DataChanges,
  type DataUpdate,
  updateLabelsAndMetadata,
} from '../session/update-labels-and-metadata.js';
import type { SessionKey } from '../store/session-store.js';
import { applyCommand, type OperationOptions } from './change-session.js';
import { fenced, type Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `update`: labels, metadata, or both. */
export interface UpdateInput {
  /**
   * The labels to change, such as `{ title: 'Tax return', draft: null }`: a text sets a label,
   * `null` removes it, and the others stay. A session has at most 8.
   */
  readonly labels?: LabelChanges | undefined;
  /**
   * The metadata to change: a value replaces the member of its name as a whole, `null` removes it,
   * and the others stay. All of it together has at most `limits.metadataBytes`.
   */
  readonly metadata?: MetadataChanges | undefined;
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
   * Updates only if the session still has this `revision`, which a read, a command or an update has
   * returned. Otherwise the update is a `conflict`. Default: no check.
   */
  readonly ifRevision?: number | undefined;
}

/**
 * The end by the clock is stored first, so that its event comes before that of an update after the
 * end.
 */
const unstoredEnd = { type: 'unstored_end' } as const;

const hasMovingEnd = ({ status, terms }: StateRecord): boolean =>
  status === 'ACTIVE' && terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY;

/** The next state of an update. */
const decide =
  ({ id }: SessionKey, update: DataUpdate, ifRevision: number | undefined) =>
  (
    current: StateRecord,
    now: number,
    isGuess: boolean,
  ): Result<StateRecord, OperationErrors['update'] | typeof unstoredEnd> => {
    // Appends may have moved the end of the session, which is in the result. On an error,
    // `updateState` reads the state.
    if (isGuess && hasMovingEnd(current)) return err(unstoredEnd);
    if (current.revision !== (ifRevision ?? current.revision)) return err(revisionMoved(id));
    const updated = updateLabelsAndMetadata(current, update);
    const isUpdate = updated.isOk() && updated.value !== current;
    if (isUpdate && endByClock(current, now) !== undefined) return err(unstoredEnd);
    return updated;
  };

/**
 * Stores the end by the clock of a session. Returns the revision that an update may expect after
 * it.
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

/** The name of an update with its input. */
const commandOf = (operationId: string | undefined, changes: DataChanges): string => {
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
  const { metadataBytes } = settings.policy.limits;
  const parsed = parseUpdate(input, settings.policy);
  if (parsed.isErr()) return err(parsed.error);
  const read = parseUpdateOptions(options);
  if (read.isErr()) return err(read.error);
  const changes = parsed.value;
  const given = fenced(settings, key, read.value);
  let { ifRevision } = given;
  const command = { ...given, command: commandOf(given.operationId, changes) };
  const update = { ...command, changes, metadataBytes };
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const updated = await applyCommand(settings, key, command, decide(key, update, ifRevision));
    if (updated.isOk()) return ok(updated.value);
    if (updated.error.type !== 'unstored_end') return err(updated.error);
    const ended = await storeEnd(settings, key, ifRevision);
    if (ended.isErr()) return err(ended.error);
    ifRevision = ended.value;
  }
  return err(conflict(key.id));
};
