import { err, ok, type Result } from 'neverthrow';
import { parseRedaction } from '../input/command-inputs.js';
import { planRedact } from '../plan/redact.js';
import { invalidField, notFound } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

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
