import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { AppendOutcome, SessionKey } from '../../src/store/session-store.js';
import { type Failure, tooManyEnded, toStoreError, unknownReply, unreadable } from './failure.js';
import { decodeRecord } from './record.js';

const isOneOf = <T extends string>(value: unknown, outcomes: readonly T[]): value is T =>
  outcomes.some((outcome) => outcome === value);

/** Reads the reply of a script that changes a session. */
export type ReadOutcome<T> = (
  key: SessionKey,
  reply: Result<string, Failure>,
) => Result<T, StoreError>;

/** The error of an unexpected outcome. */
const errorOf = (key: SessionKey, outcome: string): StoreError => {
  if (outcome === 'ended') return tooManyEnded;
  return outcome === 'corrupt' ? unreadable(key) : unknownReply.error;
};

/** Reads one of these outcomes. */
export const outcomeOf =
  <T extends string>(...outcomes: readonly T[]): ReadOutcome<T> =>
  (key, reply) => {
    if (reply.isErr()) return err(toStoreError(key, reply.error));
    return isOneOf(reply.value, outcomes) ? ok(reply.value) : err(errorOf(key, reply.value));
  };

/** An outcome of an append with a position, or with a maximum. */
const NUMBERED = /^(appended|repeated|moved|cut) (\d+)$/;

/** An outcome of an append with the record of the session. */
const CLOSED = 'closed ';

/** The outcome of an append, as the script says it. */
export const appendOutcomeOf = (
  key: SessionKey,
  made: Result<string, Failure>,
): Result<AppendOutcome, StoreError> => {
  if (made.isErr()) return err(toStoreError(key, made.error));
  const text = made.value;
  if (isOneOf(text, ['lease_lost', 'invalid_position', 'full', 'mismatch', 'missing']))
    return ok({ outcome: text });
  if (text.startsWith(CLOSED)) {
    const record = decodeRecord(key.id, text.slice(CLOSED.length).replaceAll('\t', '\n'));
    return record ? ok({ outcome: 'closed', state: record.state }) : err(unreadable(key));
  }
  const [, outcome, digits] = NUMBERED.exec(text) ?? [];
  const position = Number(digits);
  if (outcome === 'moved') return ok({ outcome, position });
  if (outcome === 'appended') return ok({ outcome, position });
  if (outcome === 'repeated') return ok({ outcome: 'appended', position, repeated: true });
  if (outcome === 'cut') return ok({ outcome: 'full', maxRewinds: position });
  return err(errorOf(key, text));
};
