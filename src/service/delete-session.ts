import { err, ok, type Result } from 'neverthrow';
import { conflict } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { StateRecord } from '../session/session-record.js';
import type { Remains, SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { MAX_ATTEMPTS } from './update-state.js';

/**
 * The `removal` of the key under which a store keeps what is left of a session with this state. A
 * sweep that has claimed the state finds it there if the session was deleted since.
 */
export const removalOf = ({ revision }: StateRecord): string => String(revision);

/**
 * What is left of a deleted session: its state without its metadata, if its end has to be reported.
 */
const remainsOf = (
  state: StateRecord,
  removedAt: number,
  revision: number,
): Remains | undefined => {
  if (state.status === 'TERMINATED' && state.report === undefined) return undefined;
  const report = { dueAt: removedAt, ...state.report, removedAt };
  const { metadata: _, ...kept } = state;
  const reported = { ...kept, revision, report };
  return { removal: removalOf(state), state: Object.freeze(reported) };
};

/** Deletes a session. Where ends are reported, what a report needs is left of it. */
export const deleteSession = async (
  { store, now, revision: newRevision, recentStates }: Settings,
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
    if (state === undefined) return ok(undefined);
    const { revision } = state;
    const removed = await store.remove(key, {
      now: at,
      revision,
      remains: remainsOf(state, at, newRevision()),
    });
    if (removed.isErr()) return err(removed.error);
    if (removed.value !== 'stale') return ok(undefined);
  }
  return err(conflict(key.id));
};
