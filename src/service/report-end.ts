import { ok } from 'neverthrow';
import { type ListenerFailed, listenerFailed, type StoreError } from '../session/errors.js';
import { type EndedSession, endedSessionOf } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import type { DueKey } from '../store/session-store.js';
import { removalOf } from './delete-session.js';
import type { Settings } from './settings.js';
import type { SweepOutcome } from './sweep-outcome.js';
import { updateState } from './update-state.js';

/**
 * Milliseconds before another sweep may process a claimed or damaged session, and timeout of
 * `onEnded`.
 */
export const RETRY_AFTER_MS = 60_000;

/** Called for each end that must be reported. */
export type OnEnded = (session: EndedSession) => unknown;

const callOnEnded = async (
  { after }: Settings,
  onEnded: OnEnded,
  session: EndedSession,
): Promise<ListenerFailed | undefined> => {
  let cancel = (): void => undefined;
  const tooLong = new Promise<never>((_, reject) => {
    cancel = after(RETRY_AFTER_MS, () =>
      reject(new Error('onEnded has taken longer than a minute')),
    );
  });
  try {
    await Promise.race([(async () => onEnded(session))(), tooLong]);
    return undefined;
  } catch (cause) {
    return listenerFailed(session.id, cause);
  } finally {
    cancel();
  }
};

/** A state that a sweep has claimed: no other sweep reports the end before `until`. */
export interface ClaimedEnd {
  readonly state: StateRecord;
  /** The `dueAt` of its report, in milliseconds since the epoch. */
  readonly until: number;
}

/** The state without its report, unless another sweep has claimed it since. */
export const withoutReport = (state: StateRecord, until: number): StateRecord => {
  if (state.report?.dueAt !== until) return state;
  const { report: _, ...settled } = state;
  return Object.freeze(settled);
};

/** Stores that the end was reported. What is left of a removed session is then removed too. */
const settle = async (
  settings: Settings,
  key: DueKey,
  { state, until }: ClaimedEnd,
): Promise<StoreError | undefined> => {
  const remove = async (removal: string): Promise<StoreError | undefined> => {
    const removed = await settings.store.remove({ ...key, removal });
    if (removed.isErr()) return removed.error;
    return undefined;
  };
  if (key.removal !== undefined) return remove(key.removal);
  const updated = await updateState<StateRecord, never>(settings, key, (current) =>
    ok(withoutReport(current, until)),
  );
  if (updated.isOk() || updated.error.type === 'conflict') return undefined;
  // Deleted since the claim.
  if (updated.error.type === 'not_found') return remove(removalOf(state));
  return updated.error;
};

/**
 * Reports an end that this sweep has claimed. If the report fails, the end is due again when the
 * claim is over.
 */
export const reportEnd = async (
  settings: Settings,
  key: DueKey,
  claimed: ClaimedEnd,
  onEnded: OnEnded,
): Promise<SweepOutcome> => {
  const reported = endedSessionOf(key, claimed.state);
  const failed = await callOnEnded(settings, onEnded, reported);
  if (failed !== undefined) return { isDone: true, failed };
  const unsettled = await settle(settings, key, claimed);
  return { isDone: true, reported, ...(unsettled && { failed: unsettled }) };
};
