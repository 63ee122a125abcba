import { err, ok, type Result } from 'neverthrow';
import type { ParsedCreation } from '../input/create-input.js';
import { digestOf } from '../session/digest-of.js';
import { conflict, idempotencyMismatch, idTaken } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { CreatedSession } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import { findSession } from '../store/find-session.js';
import { checkRead } from './check-reads.js';
import { tryCreate } from './new-session.js';
import type { Settings } from './settings.js';

/** Finds the session that an earlier call with the same idempotency key has created. */
const findCreated = async (
  { store, tenant, now, policy }: Settings,
  { id: own, content, historyLimit }: ParsedCreation,
  id: string,
): Promise<Result<CreatedSession | undefined, OperationErrors['create']>> => {
  const found = await findSession(store, { tenant, id }, { historyLimit });
  if (found.isErr()) return err(found.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  if (found.value === undefined) return ok(undefined);
  if (found.value.head.digest === digestOf(content))
    return checkRead<CreatedSession>(policy, id, {
      ...sessionAt(found.value, time.value),
      repeated: true,
    });
  return err(own === undefined ? idempotencyMismatch(id) : idTaken(id));
};

/**
 * Errors that do not matter if an earlier call with the same idempotency key has created the
 * session.
 */
const refusals: ReadonlySet<string> = new Set(['not_found', 'invalid_input', 'history_full']);

export const createOnce = async (
  settings: Settings,
  creation: ParsedCreation,
  id: string,
): Promise<Result<CreatedSession, OperationErrors['create']>> => {
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const tried = await tryCreate(settings, creation, id);
    if (tried.isOk() && typeof tried.value !== 'string') return ok(tried.value);
    if (tried.isErr() && !refusals.has(tried.error.type)) return err(tried.error);
    const found = await findCreated(settings, creation, id);
    if (found.isErr()) return err(found.error);
    if (found.value !== undefined) return ok(found.value);
    if (tried.isErr()) return err(tried.error);
  }
  return err(conflict(id));
};
