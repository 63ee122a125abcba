import { err, ok, type Result } from 'neverthrow';
import {
  type ParsedUpdateOptions,
  parseUpdate,
  parseUpdateOptions,
} from '../input/parse-update.js';
import { canonicalJson } from '../session/canonical-json.js';
import { digestOf } from '../session/digest-of.js';
import { conflict, revisionMoved } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { LabelChanges, MetadataChanges, SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { endByClock } from '../session/state-at.js';
import { type DataUpdate, updateLabelsAndMetadata } from '../session/update-labels-and-metadata.js';
import type { SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './change-session.js';
import { checkCommand, resultOfCommand } from './check-command.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `update`: labels, metadata, or both. */
export interface UpdateInput {
  /**
   * The labels to change, such as `{ title: 'Tax return', draft: null }`: a text sets a label,
   * `null` removes it, and the others stay. A session has at most 8.
   */
  readonly labels?: LabelChanges;
  /**
   * The metadata to change: a value replaces the member of its name as a whole, `null` removes it,
   * and the others stay. All of it together has at most `limits.metadataBytes`.
   */
  readonly metadata?: MetadataChanges;
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
  readonly ifRevision?: number;
}

/**
 * Maximum number of attempts. An attempt fails if the clock has ended the session and the end is
 * not stored yet.
 */
const MAX_ATTEMPTS = 3;

/**
 * The end by the clock is stored first, so that its event comes before that of an update after the
 * end.
 */
const unstoredEnd = { type: 'unstored_end' } as const;

const hasMovingEnd = ({ status, terms }: StateRecord): boolean =>
  status === 'ACTIVE' && terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY;

type Refusal = OperationErrors['update'] | typeof unstoredEnd;

/** The next state of an update, once per operation id. */
const decide =
  (key: SessionKey, update: DataUpdate, options: ParsedUpdateOptions) =>
  (current: StateRecord, now: number, isGuess: boolean): Result<StateRecord, Refusal> => {
    // Appends may have moved the end of the session, which is in the result. On an error,
    // `updateState` reads the state.
    if (isGuess && hasMovingEnd(current)) return err(unstoredEnd);
    const checked = checkCommand(key, update.command, options, current, now);
    if (checked !== undefined) return checked;
    const { ifRevision = current.revision } = options;
    if (current.revision !== ifRevision) return err(revisionMoved(key.id));
    const updated = updateLabelsAndMetadata(current, update);
    const isUnstored =
      updated.isOk() && updated.value !== current && endByClock(current, now) !== undefined;
    return isUnstored ? err(unstoredEnd) : updated;
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

export const updateSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['update']>> => {
  const { metadataBytes } = settings.policy.limits;
  const changes = parseUpdate(input, settings.policy.limits);
  if (changes.isErr()) return err(changes.error);
  const read = parseUpdateOptions(options);
  if (read.isErr()) return err(read.error);
  const { operationId } = read.value;
  // A digest costs as much as a small update; only a repeated call is compared by it.
  const command =
    operationId === undefined ? 'update' : `update-${digestOf(canonicalJson(changes.value))}`;
  const update = { changes: changes.value, metadataBytes, command, operationId };
  let expected = settings.fenced(key, read.value);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const updated = await updateState(settings, key, decide(key, update, expected));
    if (updated.isOk()) return ok(resultOfCommand(key, read.value, updated.value));
    const { error } = updated;
    if (error.type !== 'unstored_end') return err(error);
    const ended = await storeEnd(settings, key, expected.ifRevision);
    if (ended.isErr()) return err(ended.error);
    expected = { ...expected, ifRevision: ended.value };
  }
  return err(conflict(key.id));
};
