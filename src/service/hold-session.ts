import { err, type Result } from 'neverthrow';
import type { HoldError, ReleaseError } from '../errors.js';
import { readHold, readRelease } from '../input/session-input.js';
import { type HeldState, holdState, releaseState, sessionHoldOf } from '../session/hold.js';
import type { SessionHold } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `hold`. */
export interface HoldInput {
  /** Names the caller among those that may hold the session, such as a worker or a process: 1 to 256 characters. */
  readonly holder: string;
  /** Duration of the hold from now on, 0.001 to 86400, rounded to milliseconds. */
  readonly seconds: number;
}

/** Input of `release`. */
export interface ReleaseInput {
  /** The fence of the hold to end. */
  readonly fence: number;
}

export const holdSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<SessionHold, HoldError>> => {
  const read = readHold(input);
  if (read.isErr()) return err(read.error);
  const updated = await updateState<HeldState, HoldError>(settings, key, (current, now) =>
    holdState(current, read.value, now),
  );
  return updated.map(({ state }) => sessionHoldOf(state.hold));
};

export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<undefined, ReleaseError>> => {
  const read = readRelease(input);
  if (read.isErr()) return err(read.error);
  const updated = await updateState<StateRecord, ReleaseError>(settings, key, (current, now) =>
    releaseState(current, read.value, now),
  );
  return updated.map(() => undefined);
};
