import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { AppendOutcome, SessionKey } from '../../src/store/session-store.js';
import { type Failure, tooManyEnded, toStoreError, unreadable } from './failure.js';
import { decodeRecord } from './record.js';

const isOneOf = <T extends string>(value: unknown, outcomes: readonly T[]): value is T =>
  outcomes.some((outcome) => outcome === value);

/** Reads the reply of a script that changes a session. */
export type ReadOutcome<T> = (
  key: SessionKey,
  reply: Result<string, Failure>,
) => Result<T, StoreError>;

/** Reads one of these outcomes. Any other reply means that the session cannot be read. */
export const outcomeOf =
  <T extends string>(...outcomes: readonly T[]): ReadOutcome<T> =>
  (key, reply) => {
    if (reply.isErr()) return err(toStoreError(key, reply.error));
    if (reply.value === 'ended') return err(tooManyEnded);
    return isOneOf(reply.value, outcomes) ? ok(reply.value) : err(unreadable(key));
  };

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
