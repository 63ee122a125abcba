import { err, ok, type Result } from 'neverthrow';
import { type ParsedCommandOptions, parseCommandOptions } from '../input/session-input.js';
import {
  type InvalidInput,
  type LeaseEnded,
  type OperationMismatch,
  operationMismatch,
} from '../session/errors.js';
import { isLeasedWith, leaseEndedIn } from '../session/lease-state.js';
import type { SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import { commandOf } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import type { UpdatedState } from './update-state.js';

/** Parses the options of a command. The lease that the service carries is among them. */
export const parseFencedOptions = (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Result<ParsedCommandOptions, InvalidInput> =>
  parseCommandOptions(options).map((parsed) => settings.fenced(key, parsed));

/**
 * The outcome of a command that must not be applied: the state itself if the command was applied
 * before, or an error. Undefined if the command must be applied.
 */
export const checkCommand = (
  { id }: SessionKey,
  command: string,
  { operationId, fencingToken }: ParsedCommandOptions,
  current: StateRecord,
  now: number,
): Result<StateRecord, OperationMismatch | LeaseEnded> | undefined => {
  const known = operationId === undefined ? undefined : commandOf(current, operationId);
  if (known !== undefined) return known === command ? ok(current) : err(operationMismatch(id));
  const isAllowed = fencingToken === undefined || isLeasedWith(current, fencingToken, now);
  return isAllowed ? undefined : err(leaseEndedIn(current, fencingToken));
};

/**
 * The result of a command. It is `repeated` if the command changed nothing and the state remembers
 * its operation id.
 */
export const resultOfCommand = (
  { id }: SessionKey,
  { operationId }: ParsedCommandOptions,
  { state, now, isChanged }: UpdatedState<StateRecord>,
): SessionState => {
  const isRepeated =
    !isChanged && operationId !== undefined && commandOf(state, operationId) !== undefined;
  return { ...progressAt(id, state, now), ...(isRepeated && { repeated: true }) };
};
