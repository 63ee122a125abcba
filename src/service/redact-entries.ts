import { err, ok, type Result } from 'neverthrow';
import { parseRedaction } from '../input/session-input.js';
import { invalidInput, notFound } from '../session/errors.js';
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
  const redacted = await store.redact(key, read.value, time.value);
  if (redacted.isErr()) return err(redacted.error);
  switch (redacted.value) {
    case 'redacted':
      return ok(undefined);
    case 'missing':
      return err(notFound(key.id));
    case 'invalid_position':
      return err(
        invalidInput([
          { path: 'positions', message: 'must be positions of entries in this history' },
        ]),
      );
    default:
      throw contractBroken('redact', redacted.value);
  }
};
