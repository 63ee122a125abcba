import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Changed } from '../../src/store/commit.js';
import type { SessionKey } from '../../src/store/session-store.js';
import {
  BEGIN_GUARDS,
  REMOVE_GUARDS,
  type Refused,
  refusedBy,
  refusedChange,
} from '../stored/refusals.js';
import { type Failure, tooManyEnded, toStoreError, unknownReply, unreadable } from './failure.js';
import { decodePlaced, decodeRecord } from './record.js';

const errorOf = (key: SessionKey, outcome: string): StoreError => {
  if (outcome === 'ended') return tooManyEnded;
  return outcome === 'corrupt' ? unreadable(key) : unknownReply.error;
};

const OUTCOME = /^(\w+)(?: (\w+)(?: (.*))?)?$/s;

/**
 * Reads a word, a guard after `no`, and the rest. `read` returns undefined for unknown outcomes.
 */
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

const madeOrRefused =
  <G extends string>(guards: readonly G[]) =>
  (key: SessionKey, reply: Result<string, Failure>) =>
    outcomeOf(key, reply, (word, guard): { readonly outcome: 'made' } | Refused<G> | undefined =>
      word === 'made' ? { outcome: word } : refusedBy(guards, guard),
    );

export const begunOf = madeOrRefused(BEGIN_GUARDS);
export const removedOf = madeOrRefused(REMOVE_GUARDS);

/** Lines of taken messages arrive with tabs in place of line ends. */
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
