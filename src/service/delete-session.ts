import { err, ok, type Result } from 'neverthrow';
import { conflict } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt, unusedSinceOf } from '../session/state-at.js';
import type { Removal, SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { MAX_ATTEMPTS } from './update-state.js';

/** The revision of a removal of data without a state. */
const NO_STATE = 0;

/**
 * The removal of a session with this state at `now`. Leaves the state without its metadata, if its
 * end has to be reported.
 */
const removalOf = (state: StateRecord, now: number, revision: number): Removal => {
  const condition = { now, revision: state.revision };
  if (state.status === 'TERMINATED' && state.report === undefined) return condition;
  const report = {
    removal: String(state.revision),
    dueAt: now,
    ...state.report,
    removedAt: now,
  };
  const { metadata: _, ...kept } = state;
  return {
    ...condition,
    unusedSince: unusedSinceOf(state, stateAt(state, now)),
    remains: { removal: report.removal, state: Object.freeze({ ...kept, revision, report }) },
  };
};

/** Deletes a session. Where ends are reported, what a report needs is left of it. */
export const deleteSession = async (
  { store, now, revision, recentStates }: Settings,
  key: SessionKey,
): Promise<Result<undefined, OperationErrors['delete']>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const at = time.value;
  const reports = await store.reportsEnds();
  if (reports.isErr()) return err(reports.error);
  const removeAll = async (): Promise<Result<undefined, OperationErrors['delete']>> => {
    const removed = await store.remove(key, { now: at });
    if (removed.isErr()) return err(removed.error);
    return ok(undefined);
  };
  let guess = recentStates.take(key);
  if (!reports.value) return removeAll();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const found = guess ? ok(guess) : await store.findState(key);
    guess = undefined;
    if (found.isErr() && found.error.type === 'corrupt_record') return removeAll();
    if (found.isErr()) return err(found.error);
    const state = found.value;
    const removal = state ? removalOf(state, at, revision()) : { now: at, revision: NO_STATE };
    const removed = await store.remove(key, removal);
    if (removed.isErr()) return err(removed.error);
    if (removed.value !== 'stale') return ok(undefined);
  }
  return err(conflict(key.id));
};
