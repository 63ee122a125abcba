import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Begun, Changed, Removed } from '../../src/store/commit.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { BEGIN_GUARDS, REMOVE_GUARDS, refusedBy, refusedChange } from '../stored/refusals.js';
import { type Failure, tooManyEnded, toStoreError, unknownReply, unreadable } from './failure.js';
import { decodePlaced, decodeRecord } from './record.js';

/** The error of an unexpected outcome. */
const errorOf = (key: SessionKey, outcome: string): StoreError => {
  if (outcome === 'ended') return tooManyEnded;
  return outcome === 'corrupt' ? unreadable(key) : unknownReply.error;
};

/** An outcome of a script: a word, a guard after `no`, and what follows it. */
const OUTCOME = /^(\w+)(?: (\w+)(?: (.*))?)?$/s;

/** Reads an outcome of a script. `read` gets its parts, and returns undefined for unknown ones. */
const outcomeOf = <T extends object>(
  key: SessionKey,
  reply: Result<string, Failure>,
  read: (word: string, guard: string, more?: string) => T | 'corrupt' | undefined,
): Result<T, StoreError> => {
  if (reply.isErr()) return err(toStoreError(key, reply.error));
  const [, word = '', second = '', more] = OUTCOME.exec(reply.value) ?? [];
  const outcome = read(word, word === 'missing' ? 'present' : second, more) ?? word;
  return typeof outcome === 'string' ? err(errorOf(key, outcome)) : ok(outcome);
};

export const begunOf = (
  key: SessionKey,
  reply: Result<string, Failure>,
): Result<Begun, StoreError> =>
  outcomeOf(key, reply, (word, guard) =>
    word === 'made' ? { outcome: word } : refusedBy(BEGIN_GUARDS, guard),
  );

export const removedOf = (
  key: SessionKey,
  reply: Result<string, Failure>,
): Result<Removed, StoreError> =>
  outcomeOf(key, reply, (word, guard) =>
    word === 'made' ? { outcome: word } : refusedBy(REMOVE_GUARDS, guard),
  );

/** A change that was made, with the lines of the messages that it takes and tabs between them. */
const madeOf = (position: number, taken: string | undefined): Changed | 'corrupt' => {
  if (taken === undefined) return { outcome: 'made', position };
  const lines = taken.replaceAll('\t', '\n');
  const messages = decodePlaced(lines, position - Buffer.byteLength(lines));
  return messages === undefined ? 'corrupt' : { outcome: 'made', position, messages };
};

export const changedOf = (
  key: SessionKey,
  reply: Result<string, Failure>,
): Result<Changed, StoreError> =>
  outcomeOf(key, reply, (word, second, more): Changed | 'corrupt' | undefined => {
    if (word === 'made') return madeOf(Number(second), more);
    if (word === 'repeated') return { outcome: word, position: Number(second) };
    const stateOf = () => decodeRecord(key.id, `${more}`.replaceAll('\t', '\n'))?.state;
    return refusedChange(second, Number(more), stateOf);
  });
