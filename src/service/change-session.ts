import { err, ok, type Result } from 'neverthrow';
import {
  type ParsedCommandOptions,
  parseCommandOptions,
  parseExtend,
} from '../input/command-inputs.js';
import { allowedMsOf } from '../input/input-policy.js';
import { digestOf } from '../session/digest-of.js';
import {
  type Conflict,
  type InvalidInput,
  type InvalidTransition,
  type LeaseEnded,
  type Misconfigured,
  misconfigured,
  type NotFound,
  type OperationMismatch,
  operationMismatch,
  type StoreError,
  tooManyActive,
} from '../session/errors.js';
import { extendState } from '../session/extend-state.js';
import { isLeasedWith, leaseEndedIn } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters, SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import type { StatusCommand } from '../session/session-status.js';
import { advance, commandOf, type NamedCommand } from '../session/state-at.js';
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

const parseFencedOptions = (
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

export const changeSession = async <E = never>(
  settings: Settings,
  key: SessionKey,
  command: StatusCommand,
  options: unknown,
  cap?: LiveCap<E>,
): Promise<Result<SessionState, OperationErrors['pause'] | E>> => {
  const read = parseFencedOptions(settings, key, options);
  if (read.isErr()) return err(read.error);
  const { operationId } = read.value;
  return applyCommand<InvalidTransition | E>(
    settings,
    key,
    { command, ...read.value },
    (current, now) => advance(current, command, { now, operationId }),
    cap,
  );
};

export const activeSessionsOf = ({
  tenant,
  policy: {
    limits: { activeSessions },
  },
}: Settings): Result<number | undefined, Misconfigured> => {
  try {
    const limit: unknown =
      typeof activeSessions === 'function' ? activeSessions(tenant) : activeSessions;
    if (typeof limit !== 'number' || !(limit >= 0))
      return err(misconfigured('limits.activeSessions must return a number from 0'));
    return ok(limit < Number.MAX_SAFE_INTEGER ? limit : undefined);
  } catch (cause) {
    return err(misconfigured('limits.activeSessions threw an exception', cause));
  }
};

export const startSession = async (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['start']>> => {
  const limit = activeSessionsOf(settings);
  if (limit.isErr()) return err(limit.error);
  const sessions = limit.value;
  if (sessions === undefined) return changeSession(settings, key, 'start', options);
  const cap = { sessions, error: tooManyActive(key.id, sessions) };
  return changeSession(settings, key, 'start', options, cap);
};

/** Input of `extend`: a time limit, a budget, or both. */
export interface ExtendInput {
  /**
   * The new maximum of seconds ACTIVE, including the seconds already used: more than these, and at
   * most `limits.timeLimit`. 0 for `limits.timeLimit` of the host, or for no limit if the host has
   * set none.
   */
  readonly timeLimit?: number | undefined;
  /**
   * New counter budgets, each higher than what is used: whole numbers from 1. The budgets of other
   * counters stay. The session ends with the reason `budget` when one is reached.
   */
  readonly budget?: Counters | undefined;
}

export const extendSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['extend']>> => {
  const extension = parseExtend(input, settings.policy);
  if (extension.isErr()) return err(extension.error);
  const read = parseFencedOptions(settings, key, options);
  if (read.isErr()) return err(read.error);
  const { timeLimit, budget } = extension.value;
  const content = budget === undefined ? timeLimit : digestOf(JSON.stringify([timeLimit, budget]));
  const command = { command: `extend-${content}`, ...read.value };
  const limitMs = timeLimit === undefined ? undefined : allowedMsOf(settings.policy, timeLimit);
  return applyCommand(settings, key, command, (current, now) =>
    extendState(current, { ...command, now, limitMs, budget }),
  );
};
