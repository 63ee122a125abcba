import { err, type Result } from 'neverthrow';
import { parseLease, parseRelease, parseRenew } from '../input/session-input.js';
import {
  type LeasedState,
  leaseState,
  releaseState,
  renewState,
  sessionLeaseOf,
} from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionLease } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `lease`. */
export interface LeaseInput {
  /**
   * The name of the caller, 1 to 256 characters. Give each worker a different one, such as a random
   * text: if the name already holds the session, the new lease replaces the earlier one.
   */
  readonly holder: string;
  /** Duration of the lease from now in seconds, 0.001 to 86400, rounded to milliseconds. */
  readonly seconds: number;
}

/** Input of `renew`. */
export interface RenewInput {
  /** The fencing token of the lease to extend. */
  readonly fencingToken: number;
  /** Duration of the lease from now in seconds, 0.001 to 86400, rounded to milliseconds. */
  readonly seconds: number;
}

/** Input of `release`. */
export interface ReleaseInput {
  /** The fencing token of the lease to end. */
  readonly fencingToken: number;
  /**
   * Of a claim: whether the work is done. If not, the session wants a worker again after a delay.
   * Default: false.
   */
  readonly done?: boolean;
}

export const leaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<SessionLease, OperationErrors['lease']>> => {
  const read = parseLease(input);
  if (read.isErr()) return err(read.error);
  const updated = await updateState<LeasedState, OperationErrors['lease']>(
    settings,
    key,
    (current, now) => leaseState(current, { ...read.value, random: settings.random() }, now),
  );
  return updated.map(({ state }) => sessionLeaseOf(state.lease));
};

export const renewLease = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<SessionLease, OperationErrors['renew']>> => {
  const read = parseRenew(input);
  if (read.isErr()) return err(read.error);
  const updated = await updateState<LeasedState, OperationErrors['renew']>(
    settings,
    key,
    (current, now) => renewState(current, read.value, now),
  );
  return updated.map(({ state }) => sessionLeaseOf(state.lease));
};

export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<undefined, OperationErrors['release']>> => {
  const read = parseRelease(input);
  if (read.isErr()) return err(read.error);
  const { fencingToken, done } = read.value;
  const updated = await updateState<StateRecord, OperationErrors['release']>(
    settings,
    key,
    (current, now) =>
      releaseState(current, { fencingToken, isDone: done, random: settings.random() }, now),
  );
  return updated.map(() => undefined);
};
