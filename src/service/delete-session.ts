import { err, ok, type Result } from 'neverthrow';
import { planRemove, planReportedRemove } from '../plan/remove.js';
import { conflict } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** The revision of a removal of data without a state. */
const NO_STATE = 0;

export const deleteSession = async (
  { store, now, revision, recentStates }: Settings,
  key: SessionKey,
): Promise<Result<undefined, OperationErrors['delete']>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const at = time.value;
  const reports = await store.reportsEnds();
  if (reports.isErr()) return err(reports.error);
  let guess = recentStates.take(key);
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const found = guess || !reports.value ? ok(guess) : await store.findState(key);
    guess = undefined;
    if (found.isErr() && found.error.type !== 'corrupt_record') return err(found.error);
    const state = found.unwrapOr(undefined);
    const isReported = reports.value && found.isOk();
    const commit =
      isReported && state
        ? planReportedRemove(key, state, at, revision())
        : planRemove(key, at, isReported ? { revision: NO_STATE } : {});
    const removed = await store.remove(commit);
    if (removed.isErr()) return err(removed.error);
    const { value: outcome } = removed;
    if (outcome.outcome === 'made' || outcome.guard === 'present') return ok(undefined);
  }
  return err(conflict(key.id));
};
