import { err, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Changed, Redaction } from '../../src/store/commit.js';
import { changedOf } from './decode-outcome.js';
import type { Answer, Failure } from './failure.js';
import type { SessionKeys } from './keyspace.js';
import { type Mutation, writeScripts } from './write-scripts.js';

const MORE = /^more ([1-9]\d*) ([\w-]+)$/;

/** A failed part does not undo the parts before it. */
const afterParts = (error: StoreError): StoreError =>
  error.type === 'store_unavailable' ? { ...error, outcome: 'unknown' } : error;

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

type Make = (mutation: Mutation) => Promise<Result<string, Failure>>;

/**
 * Uses as many scripts as necessary, so that none blocks the server for long. Each is a separate
 * change; repeating all of them changes only what is left.
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
