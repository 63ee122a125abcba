import { err, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Changed, Redaction } from '../../src/store/commit.js';
import { changedOf } from './decode-outcome.js';
import type { Answer, Failure } from './failure.js';
import type { SessionKeys } from './keyspace.js';
import { type Mutation, writeScripts } from './write-scripts.js';

/** The outcome of a script that has left others of the positions. */
const MORE = /^more ([1-9]\d*) ([\w-]+)$/;

/** What a redaction has done is not undone if a later part of it fails. */
const afterParts = (error: StoreError): StoreError =>
  error.type === 'store_unavailable' ? { ...error, outcome: 'unknown' } : error;

/** Redacts positions of the session with this incarnation; '' for any. */
const redactionOf = (
  { record, journal, inbox, sessionKey }: SessionKeys,
  positions: readonly number[],
  at: number,
  incarnation: string,
): Mutation => {
  const detail = JSON.stringify({ type: 'redacted', at, positions: [] });
  const event = `${sessionKey} ${detail.slice(0, -2)}`;
  return {
    script: writeScripts.redact,
    keys: [record, journal, inbox],
    args: [incarnation, event, String(positions.length), ...positions.map(String)],
  };
};

/** Makes a part of a redaction. */
type Make = (mutation: Mutation) => Promise<Result<string, Failure>>;

/**
 * Redacts entries with as many scripts as necessary, so that no script blocks the server for long.
 * Each is a separate change; repeating all of them changes only what is left.
 */
export const redactEntries = async (
  keys: SessionKeys,
  { effects }: Redaction,
  make: Make,
): Answer<Changed> => {
  const redact = (positions: readonly number[], incarnation: string) =>
    make(redactionOf(keys, positions, effects.at, incarnation));
  const first = await redact(effects.redact, '');
  let made = first;
  let left = effects.redact;
  for (;;) {
    const [, done, incarnation = ''] = MORE.exec(made.unwrapOr('')) ?? [];
    if (done === undefined) break;
    left = left.slice(Number(done));
    made = await redact(left, incarnation);
  }
  const outcome = changedOf(keys, made);
  return outcome.isErr() && made !== first ? err(afterParts(outcome.error)) : outcome;
};
