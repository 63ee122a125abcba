import { err, ok, type Result } from 'neverthrow';
import type { AppendOrSpend } from '../plan/append.js';
import { planAgain, planAppend } from '../plan/append.js';
import { digestOf } from '../session/digest-of.js';
import {
  historyCut,
  historyFull,
  historyMoved,
  invalidTransition,
  notFound,
  operationMismatch,
  type StoreError,
} from '../session/errors.js';
import { leaseEndedIn } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { stateAt } from '../session/time-limits.js';
import type { Changed, Refusal, SessionKey } from '../store/session-store.js';
import { refusedSpending } from './counter-usage.js';
import type { Appended } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';
import { raceOf } from './update-state.js';

export const NOT_IN_HISTORY = 'is not a position in this history';

export const operationWith = (
  id: string | undefined,
  input: unknown,
): AppendOrSpend['operation'] => {
  if (id === undefined) return undefined;
  return { id, digest: digestOf(JSON.stringify(input)) };
};

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
