import { err, ok, type Result } from 'neverthrow';
import { entriesAt, type ParsedAppend, parseAppend } from '../input/entries-input.js';
import { fitSchemas } from '../input/fit-schemas.js';
import type { AppendOrSpend } from '../plan/append.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './apply-command.js';
import { appendedOf, commitAppend, operationWith, refusedAppend } from './commit-append.js';
import { spendingOf } from './counter-usage.js';
import type { Appended } from './operation-results.js';
import { fenced, type Settings, turnUnder } from './settings.js';

/**
 * Options of `append`.
 *
 * @example
 * ```ts
 * const { entries, position } = await sessions.orThrow.history(id);
 * const answer = [{ role: 'assistant', content: await askModel(entries) }];
 * const appended = await sessions.append(id, answer, {
 *   ifPosition: position,
 *   usage: { tokens: 900 },
 * });
 * if (appended.isErr() && appended.error.type === 'history_moved') console.error('Ask again.');
 * ```
 */
export interface AppendOptions extends OperationOptions {
  /**
   * Append only if the history still ends at this position, which `append` or `history` returned; 0
   * for an empty history. Otherwise the append fails with `history_moved`. Default: no check.
   */
  readonly ifPosition?: number | undefined;
  /**
   * Usage to add to the counters of the session in the same step, for example `{ tokens: 900 }`;
   * see `spend`. Default: nothing.
   */
  readonly usage?: Counters | undefined;
}

const changeOf = (
  { entries, ifPosition, fencingToken, usage }: ParsedAppend,
  settings: Settings,
  key: SessionKey,
  operation: AppendOrSpend['operation'],
  now: number,
): AppendOrSpend => ({
  entries: entriesAt(now, entries, turnUnder(settings.fence, key)),
  now,
  maxEntries: settings.policy.limits.historyEntries,
  ...(operation !== undefined && { operation }),
  ...(ifPosition !== undefined && { ifPosition }),
  ...(fencingToken !== undefined && { fencingToken }),
  ...(usage && { spend: { ...spendingOf(settings, usage), revision: settings.revision() } }),
});

export const appendHistory = async (
  settings: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, OperationErrors['append']>> => {
  const { schemas, limits } = settings.policy;
  const read = parseAppend(entries, options, settings.policy);
  if (read.isErr()) return err(read.error);
  // Computed from the input, because a schema may have random defaults.
  const { operationId, entries: all, usage } = read.value;
  const operation = operationWith(operationId, usage === undefined ? all : { entries: all, usage });
  const fitted = schemas === undefined ? read : await fitSchemas(schemas, limits, read.value);
  if (fitted.isErr()) return err(fitted.error);
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const given = fenced(settings, key, fitted.value);
  const append = changeOf(given, settings, key, operation, time.value);
  const answer = await commitAppend(settings, key, append);
  if (answer.isErr()) return err(answer.error);
  if (answer.value.outcome === 'refused')
    return err(refusedAppend(key, 'append', append, answer.value));
  return ok(appendedOf(answer.value));
};
