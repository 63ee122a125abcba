import { err, ok, type Result } from 'neverthrow';
import {
  type ChangeError,
  leaseLost,
  type Misconfigured,
  misconfigured,
  operationMismatch,
  type SessionError,
  type StartError,
  tooManyActive,
} from '../errors.js';
import type { ReadCommandOptions } from '../input/session-input.js';
import { isLeasedWith } from '../session/lease.js';
import type { SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionCommand } from '../session/session-status.js';
import { advance, commandOf } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { type ActiveCap, updateState } from './update-state.js';

/** Options of commands and of `append`. */
export interface OperationOptions {
  /**
   * Makes the call safe to repeat: an id that is unique among the operations on this session, 1 to 64 of the characters
   * `A-Z a-z 0-9 _ . ~ : -`. The same call with the same id changes nothing, and its result is `repeated`. Another
   * operation with the same id is `operation_mismatch`.
   */
  readonly operationId?: string;
  /** The fencing token of a lease: if it is not the current lease, the call is `lease_lost`. Default: no check. */
  readonly fencingToken?: number;
}

/** Applies a command once per operation id; under a cap, only while the tenant has fewer ACTIVE sessions. */
const apply = async <E extends SessionError>(
  settings: Settings,
  key: SessionKey,
  command: SessionCommand,
  { operationId, fencingToken }: ReadCommandOptions,
  cap?: ActiveCap<E>,
): Promise<Result<SessionState, ChangeError | E>> => {
  const { idleTimeoutMs, retentionMs } = settings;
  let isRepeated = false;
  const decide = (current: StateRecord, now: number): Result<StateRecord, ChangeError | E> => {
    const known = operationId === undefined ? undefined : commandOf(current, operationId);
    isRepeated = known !== undefined;
    if (known !== undefined) return known === command ? ok(current) : err(operationMismatch(key.id));
    if (fencingToken !== undefined && !isLeasedWith(current, fencingToken, now)) return err(leaseLost(fencingToken));
    return advance(current, command, { now, operationId, idleTimeoutMs, retentionMs });
  };
  const updated = await updateState(settings, key, decide, cap);
  return updated.map(({ state, now }) => ({
    ...progressAt(key.id, state, now),
    ...(isRepeated && { repeated: true }),
  }));
};

/** Applies a command. */
export const changeSession = (
  settings: Settings,
  key: SessionKey,
  command: SessionCommand,
  options: ReadCommandOptions,
): Promise<Result<SessionState, ChangeError>> => apply(settings, key, command, options);

/** Maximum number of ACTIVE sessions of the tenant. */
const activeSessionsOf = ({ tenant, policy }: Settings): Result<number, Misconfigured> => {
  const { activeSessions } = policy.limits;
  if (typeof activeSessions === 'number') return ok(activeSessions);
  try {
    const limit = activeSessions(tenant);
    return limit >= 0 ? ok(limit) : err(misconfigured('limits.activeSessions must return a number from 0'));
  } catch (cause) {
    return err(misconfigured('limits.activeSessions has thrown', cause));
  }
};

/** Applies a command that makes a session ACTIVE, unless its tenant has as many ACTIVE sessions as it may have. */
export const activateSession = async (
  settings: Settings,
  key: SessionKey,
  command: 'start' | 'resume',
  options: ReadCommandOptions,
): Promise<Result<SessionState, StartError>> => {
  const limit = activeSessionsOf(settings);
  if (limit.isErr()) return err(limit.error);
  const sessions = limit.value;
  if (sessions >= Number.MAX_SAFE_INTEGER) return changeSession(settings, key, command, options);
  return apply(settings, key, command, options, { sessions, error: tooManyActive(key.id, sessions) });
};
