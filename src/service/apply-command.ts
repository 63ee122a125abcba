import { err, ok, type Result } from 'neverthrow';
import { type ParsedCommandOptions, parseCommandOptions } from '../input/session-input.js';
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
import type { SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import { commandOf } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';
import { fenced, type Settings } from './settings.js';
import { type LiveCap, updateState } from './update-state.js';

/** Parses the options of a command. The lease that the service carries is among them. */
export const parseFencedOptions = (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Result<ParsedCommandOptions, InvalidInput> =>
  parseCommandOptions(options).map((parsed) => fenced(settings, key, parsed));

/** A command, with its input in its name, to recognise a repeated call. */
export interface Command extends ParsedCommandOptions {
  readonly command: string;
}

/**
 * The outcome of a command that must not be applied: the state itself if the command was applied
 * before, or an error. Undefined if the command must be applied.
 */
const refusalOf = (
  { id }: SessionKey,
  { command, operationId, fencingToken }: Command,
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
 * Applies a command once per operation id. The result is `repeated` if the command changed nothing
 * and the state remembers its operation id.
 */
export const applyCommand = async <E>(
  settings: Settings,
  key: SessionKey,
  command: Command,
  next: (current: StateRecord, now: number, isGuess: boolean) => Result<StateRecord, E>,
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
  return updated.map(({ state, now, isChanged }) => {
    const { operationId } = command;
    const isRepeated = !isChanged && operationId && commandOf(state, operationId) !== undefined;
    return { ...progressAt(key.id, state, now), ...(isRepeated && { repeated: true }) };
  });
};
