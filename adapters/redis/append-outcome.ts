import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { AppendOutcome, SessionKey } from '../../src/store/session-store.js';
import { type Failure, isOneOf, toStoreError, unreadable } from './failure.js';
import { decodeRecord } from './record.js';

/** The outcome of an append, as the script says it. */
export const appendOutcomeOf = (
  key: SessionKey,
  made: Result<string, Failure>,
): Result<AppendOutcome, StoreError> => {
  if (made.isErr()) return err(toStoreError(key, made.error));
  const text = made.value;
  if (isOneOf(text, ['lease_lost', 'invalid_position', 'full', 'mismatch', 'missing']))
    return ok({ outcome: text });
  const space = text.indexOf(' ');
  const [outcome, detail] = [text.slice(0, space), text.slice(space + 1)];
  switch (outcome) {
    case 'appended':
      return ok({ outcome, position: Number(detail) });
    case 'repeated':
      return ok({ outcome: 'appended', position: Number(detail), repeated: true });
    case 'moved':
      return ok({ outcome, position: Number(detail) });
    case 'closed': {
      const record = decodeRecord(key.id, detail.replaceAll('\t', '\n'));
      return record === undefined ? err(unreadable(key)) : ok({ outcome, state: record.state });
    }
    default:
      return err(unreadable(key));
  }
};
