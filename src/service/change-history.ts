import { err, ok, type Result } from 'neverthrow';
import { parseRedaction } from '../input/command-inputs.js';
import { entriesAt, type ParsedAppend, parseAppend } from '../input/entries-input.js';
import { fitSchemas } from '../input/fit-schemas.js';
import type { AppendOrSpend } from '../plan/append.js';
import { planAgain, planAppend } from '../plan/append.js';
import { planRedact } from '../plan/redact.js';
import { digestOf } from '../session/digest-of.js';
import {
  historyCut,
  historyFull,
  historyMoved,
  invalidField,
  invalidTransition,
  notFound,
  operationMismatch,
  type StoreError,
} from '../session/errors.js';
import { leaseEndedIn } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
import { stateAt } from '../session/state-at.js';
import type { Changed, Refusal, SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './change-session.js';
import type { Appended } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import { fenced, type Settings, turnUnder } from './settings.js';
import { refusedSpending, spendingOf } from './spending.js';
import { raceOf } from './update-state.js';

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

export const NOT_IN_HISTORY = 'is not a position in this history';

export const operationWith = (
  id: string | undefined,
  input: unknown,
): AppendOrSpend['operation'] => {
  if (id === undefined) return undefined;
  return { id, digest: digestOf(JSON.stringify(input)) };
};

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

type Use = Omit<AppendOrSpend, 'entries'>;

export const refusedUse = (
  { id }: SessionKey,
  command: 'append' | 'rewind' | 'spend',
  { now, fencingToken = 0, spend }: Use,
  refusal: Refusal,
): OperationErrors['spend'] => {
  switch (refusal.guard) {
    case 'present':
      return notFound(id);
    case 'operation':
      return operationMismatch(id);
    case 'fence':
      return leaseEndedIn(refusal.state, fencingToken);
    case 'counters': {
      const error = spend && refusedSpending(refusal.state, spend);
      if (error !== undefined) return error;
      break;
    }
    case 'open':
    case 'over':
    case 'revision':
      return invalidTransition(stateAt(refusal.state, now).status, command);
    default:
      break;
  }
  throw contractBroken('change', refusal);
};

export const refusedAppend = (
  key: SessionKey,
  command: 'append' | 'rewind',
  use: Use,
  refusal: Refusal,
): OperationErrors['append'] => {
  switch (refusal.guard) {
    case 'end':
    case 'superseded':
      return historyMoved(key.id, refusal.position);
    case 'rewinds':
      return historyCut(key.id, refusal.rewinds);
    case 'entries':
      return historyFull(key.id, use.maxEntries ?? 0);
    default:
      return refusedUse(key, command, use, refusal);
  }
};

/** Appends, and decides again if the session has ended or was changed since. */
export const commitAppend = async (
  { store, now }: Settings,
  key: SessionKey,
  append: AppendOrSpend,
): Promise<Result<Changed, StoreError>> => {
  let commit = planAppend(key, append);
  const mayRace = raceOf();
  for (;;) {
    const changed = await store.change(commit);
    if (changed.isErr()) return err(changed.error);
    const next = planAgain(key, append, changed.value);
    const isRace = next !== undefined && 'state' in changed.value;
    if (!isRace || !mayRace(changed.value.state, now().unwrapOr(append.now)))
      return ok(changed.value);
    commit = next;
  }
};

export const appendedOf = ({ outcome, position }: Changed & { position?: number }): Appended => {
  const isKnown = outcome === 'made' || outcome === 'repeated';
  if (!isKnown || position === undefined || !Number.isSafeInteger(position))
    throw contractBroken('change', { outcome, position });
  return { position, ...(outcome === 'repeated' && { repeated: true }) };
};

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

export const redactEntries = async (
  { store, now }: Settings,
  key: SessionKey,
  positions: unknown,
): Promise<Result<undefined, OperationErrors['redact']>> => {
  const read = parseRedaction(positions);
  if (read.isErr()) return err(read.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const redacted = await store.change(planRedact(key, read.value, time.value));
  if (redacted.isErr()) return err(redacted.error);
  const { outcome } = redacted.value;
  if (outcome === 'made') return ok(undefined);
  if (outcome === 'refused' && redacted.value.guard === 'present') return err(notFound(key.id));
  if (outcome === 'refused' && redacted.value.guard === 'position')
    return err(invalidField('positions', 'must be positions of entries in this history'));
  throw contractBroken('change', redacted.value);
};
