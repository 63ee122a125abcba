import { err, ok, type Result } from 'neverthrow';
import { parseSpend } from '../input/command-inputs.js';
import { digestOf } from '../session/digest-of.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import { appendedOf, commitAppend, refusedUse } from './change-history.js';
import type { Spent } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import { fenced, type Settings } from './settings.js';
import { spendingOf } from './spending.js';

/** A separate name, because appends and spends are remembered separately. */
const operationOf = (id: string, usage: Counters) => ({
  id: `spend-${digestOf(id)}`,
  digest: digestOf(JSON.stringify(usage)),
});

/** Adds to the counters of a session, whatever its status, until the end of its grace period. */
export const spendBudget = async (
  settings: Settings,
  key: SessionKey,
  given: unknown,
  options: unknown,
): Promise<Result<Spent, OperationErrors['spend']>> => {
  const read = parseSpend(given, options);
  if (read.isErr()) return err(read.error);
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const { usage, operationId: id, fencingToken } = fenced(settings, key, read.value);
  const operation = id === undefined ? undefined : operationOf(id, usage);
  const last = operation && `${operation.id}:${operation.digest}`;
  const append = {
    entries: [],
    now: time.value,
    spend: { ...spendingOf(settings, usage), last, revision: settings.revision() },
    ...(operation && { operation }),
    ...(fencingToken !== undefined && { fencingToken }),
  };
  const answer = await commitAppend(settings, key, append);
  if (answer.isErr()) return err(answer.error);
  const changed = answer.value;
  if (changed.outcome !== 'refused')
    return ok(appendedOf(changed).repeated ? { repeated: true } : {});
  const error = refusedUse(key, 'spend', append, changed);
  if (error === undefined) throw contractBroken('change', changed);
  return err(error);
};
