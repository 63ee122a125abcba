import { err, ok, type Result } from 'neverthrow';
import { type ParsedCommandOptions, parseCommandOptions } from '../input/command-inputs.js';
import {
  type Conflict,
  type InvalidInput,
  type LeaseEnded,
  type NotFound,
  type OperationMismatch,
  operationMismatch,
  type StoreError,
} from '../session/errors.js';
import { isLeasedWith, leaseEndedIn } from '../session/lease-state.js';
import { commandOf, type NamedCommand } from '../session/remembered-operations.js';
import type { SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import { fenced, type Settings } from './settings.js';
import { type Decision, type LiveCap, updateState } from './update-state.js';

/**
 * Options of commands and of `append`.
 *
 * @example
 * ```ts
 * await sessions.orThrow.pause(id, { operationId: 'hold-1' });
 * const { repeated } = await sessions.orThrow.pause(id, { operationId: 'hold-1' });
 * console.log(repeated); // true
 * ```
 *
 * @example
 * ```ts
 * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * await sessions.orThrow.terminate(id, { fencingToken });
 * ```
 */
export interface OperationOptions {
  /**
   * Make the call safe to repeat: 1 to 256 characters without control characters, for example the
   * id of a platform's message. A repeated call with the same id changes nothing, and its result
   * contains `repeated`. A different operation with the same id fails with `operation_mismatch`.
   * Appends and rewinds are remembered apart from commands and updates, so an append may have the
   * id of an update. Default: every call is a new operation.
   */
  readonly operationId?: string | undefined;
  /**
   * The fencing token of a lease: if it is not the current lease, the call fails with `lease_lost`.
   * Default: no check.
   */
  readonly fencingToken?: number | undefined;
}

export const parseFencedOptions = (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Result<ParsedCommandOptions, InvalidInput> =>
  parseCommandOptions(options).map((parsed) => fenced(settings, key, parsed));

export type FencedCommand = ParsedCommandOptions & NamedCommand;

/**
 * The outcome of a command that must not be applied: the state itself if the command was applied
 * before, or an error. Undefined if the command must be applied.
 */
const refusalOf = (
  { id }: SessionKey,
  { command, operationId, fencingToken }: FencedCommand,
  current: StateRecord,
  now: number,
): Result<StateRecord, OperationMismatch | LeaseEnded> | undefined => {
  const known = operationId && commandOf(current, operationId);
  if (known === command) return ok(current);
  if (known !== undefined) return err(operationMismatch(id));
  const isAllowed = fencingToken === undefined || isLeasedWith(current, fencingToken, now);
  if (isAllowed) return undefined;
  return err(leaseEndedIn(current, fencingToken));
};

/**
 * Applies a command once per operation id. The result contains `repeated` if the command changed
 * nothing and the state remembers its operation id.
 */
export const applyCommand = async <E>(
  settings: Settings,
  key: SessionKey,
  command: FencedCommand,
  next: (current: StateRecord, now: number, isGuess: boolean) => Decision<StateRecord, E>,
  cap?: LiveCap<E>,
): Promise<
  Result<SessionState, E | OperationMismatch | LeaseEnded | NotFound | Conflict | StoreError>
> => {
  const updated = await updateState<StateRecord, E | OperationMismatch | LeaseEnded>(
    settings,
    key,
    (current, now, isGuess) => refusalOf(key, command, current, now) ?? next(current, now, isGuess),
    cap,
  );
  return updated.map(({ state, now, changed }) => {
    const { operationId } = command;
    const isRepeated = !changed && operationId && commandOf(state, operationId) !== undefined;
    return { ...progressAt(key.id, state, now), ...(isRepeated && { repeated: true }) };
  });
};
