import { ok } from 'neverthrow';
import { planRemove } from '../plan/remove.js';
import {
  type ListenerFailed,
  listenerFailed,
  type StoreError,
  type SweepFailure,
} from '../session/errors.js';
import { type EndedSession, endedSessionOf } from '../session/session-at.js';
import type { PendingReport, StateRecord } from '../session/session-record.js';
import type { DueKey, SessionKey } from '../store/session-store.js';
import type { SweptSession } from './operation-results.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/**
 * Milliseconds before another sweep may process a claimed or damaged session, and timeout of
 * `onEnded`.
 */
export const RETRY_AFTER_MS = 60_000;

export interface SweepOutcome {
  /** Whether the session was moved or removed, so that it is not due now. */
  readonly isDone: boolean;
  readonly ended?: SweptSession;
  readonly reported?: EndedSession;
  readonly deleted?: SessionKey;
  readonly failed?: SweepFailure;
}

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

/** A state that a sweep has claimed: no other sweep reports the end before `claim.dueAt`. */
export interface ClaimedEnd {
  readonly state: StateRecord;
  readonly claim: PendingReport;
}

/** The state without its report, unless another sweep has claimed it since. */
export const withoutReport = (
  state: StateRecord,
  { dueAt, removal }: PendingReport,
): StateRecord => {
  const { report, ...settled } = state;
  if (report?.dueAt !== dueAt || report.removal !== removal) return state;
  return Object.freeze(settled);
};

const settle = async (
  settings: Settings,
  key: DueKey,
  claim: PendingReport,
): Promise<StoreError | undefined> => {
  const { removal } = claim;
  let isDeleted = key.removal !== undefined;
  if (!isDeleted) {
    const updated = await updateState<StateRecord, never>(settings, key, (current) => {
      isDeleted = current.report?.removal !== removal;
      return ok(withoutReport(current, claim));
    });
    if (updated.isErr()) {
      if (updated.error.type === 'conflict') return undefined;
      if (updated.error.type !== 'not_found') return updated.error;
      isDeleted = true;
    }
  }
  if (!isDeleted) return undefined;
  const removed = await settings.store.remove(planRemove({ ...key, removal }, claim.dueAt));
  return removed.isErr() ? removed.error : undefined;
};

/**
 * Reports an end that this sweep has claimed. If the report fails, the end is due again when the
 * claim is over.
 */
export const reportEnd = async (
  settings: Settings,
  key: DueKey,
  { state, claim }: ClaimedEnd,
  onEnded: OnEnded,
): Promise<SweepOutcome> => {
  const reported = endedSessionOf(key, state);
  const failed = await callOnEnded(settings, onEnded, reported);
  if (failed !== undefined) return { isDone: true, failed };
  const unsettled = await settle(settings, key, claim);
  return { isDone: true, reported, ...(unsettled && { failed: unsettled }) };
};
