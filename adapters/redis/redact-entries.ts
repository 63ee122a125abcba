import { err, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Redacted, SessionKey } from '../../src/store/session-store.js';
import type { Answer, Failure } from './failure.js';
import { outcomeOf } from './outcome.js';

/** The outcome of a script that has left others of the positions. */
const MORE = /^more ([1-9]\d*) ([\w-]+)$/;

const redactedOf = outcomeOf('redacted', 'invalid_position', 'missing');

/** What a redaction has done is not undone if a later part of it fails. */
const afterParts = (error: StoreError): StoreError =>
  error.type === 'store_unavailable' ? { ...error, outcome: 'unknown' } : error;

/** Redacts positions of the session with this incarnation; '' for any. */
type Redact = (
  positions: readonly number[],
  incarnation: string,
) => Promise<Result<string, Failure>>;

/**
 * Redacts entries with as many scripts as necessary, so that no script blocks the server for long.
 * Each is a separate change; repeating all of them changes only what is left.
 */
export const redactEntries = async (
  key: SessionKey,
  positions: readonly number[],
  redact: Redact,
): Answer<Redacted> => {
  const first = await redact(positions, '');
  let made = first;
  let left = positions;
  for (;;) {
    const [, done, incarnation = ''] = MORE.exec(made.unwrapOr('')) ?? [];
    if (done === undefined) break;
    left = left.slice(Number(done));
    made = await redact(left, incarnation);
  }
  const outcome = redactedOf(key, made);
  return outcome.isErr() && made !== first ? err(afterParts(outcome.error)) : outcome;
};
