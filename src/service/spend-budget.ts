import { err, ok, type Result } from 'neverthrow';
import { parseSpend } from '../input/command-inputs.js';
import { digestOf } from '../session/digest-of.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import { appendedOf, commitAppend, operationWith, refusedUse } from './commit-append.js';
import { spendingOf } from './counter-usage.js';
import type { Spent } from './operation-results.js';
import { fenced, type Settings } from './settings.js';

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
  // A separate name, because appends and spends are remembered separately.
  const operation = operationWith(id && `spend-${digestOf(id)}`, usage);
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
  return err(refusedUse(key, 'spend', append, changed));
};
