import { err, ok, type Result } from 'neverthrow';
import type { ParsedCommandOptions } from '../input/session-input.js';
import { type Misconfigured, misconfigured, tooManyActive } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { StatusCommand } from '../session/session-status.js';
import { advance } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';
import { checkCommand, resultOfCommand } from './check-command.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

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
   * Makes the call safe to repeat: an id that is unique among the operations on this session, 1 to
   * 64 of the characters `A-Z a-z 0-9 _ . ~ : -`. A repeated call with the same id changes nothing,
   * and its result has `repeated`. Another operation with the same id is `operation_mismatch`.
   * Default: every call is a new operation.
   */
  readonly operationId?: string;
  /**
   * The fencing token of a lease: if that is not the current lease, the call is `lease_lost`.
   * Default: no check.
   */
  readonly fencingToken?: number;
}

/** The next state of a command, once per operation id. */
const decide =
  (key: SessionKey, command: StatusCommand, options: ParsedCommandOptions) =>
  (current: StateRecord, now: number): Result<StateRecord, OperationErrors['pause']> =>
    checkCommand(key, command, options, current, now) ??
    advance(current, command, { now, operationId: options.operationId });

/** Applies a command. */
export const changeSession = async (
  settings: Settings,
  key: SessionKey,
  command: StatusCommand,
  options: ParsedCommandOptions,
): Promise<Result<SessionState, OperationErrors['pause']>> => {
  const updated = await updateState(settings, key, decide(key, command, options));
  return updated.map((after) => resultOfCommand(key, options, after));
};

/** Maximum number of live sessions of the tenant; undefined for no limit. */
export const activeSessionsOf = ({
  tenant,
  policy,
}: Settings): Result<number | undefined, Misconfigured> => {
  const { activeSessions } = policy.limits;
  const bounded = (limit: number) => ok(limit < Number.MAX_SAFE_INTEGER ? limit : undefined);
  if (typeof activeSessions === 'number') return bounded(activeSessions);
  try {
    const limit: unknown = activeSessions(tenant);
    return typeof limit === 'number' && limit >= 0
      ? bounded(limit)
      : err(misconfigured('limits.activeSessions must return a number from 0'));
  } catch (cause) {
    return err(misconfigured('limits.activeSessions threw an exception', cause));
  }
};

/** Starts a session, unless its tenant already has the maximum number of live sessions. */
export const startSession = async (
  settings: Settings,
  key: SessionKey,
  options: ParsedCommandOptions,
): Promise<Result<SessionState, OperationErrors['start']>> => {
  const limit = activeSessionsOf(settings);
  if (limit.isErr()) return err(limit.error);
  const sessions = limit.value;
  const cap =
    sessions === undefined ? undefined : { sessions, error: tooManyActive(key.id, sessions) };
  const updated = await updateState<StateRecord, OperationErrors['start']>(
    settings,
    key,
    decide(key, 'start', options),
    cap,
  );
  return updated.map((after) => resultOfCommand(key, options, after));
};
