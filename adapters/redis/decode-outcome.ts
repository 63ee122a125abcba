import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Begun, Changed, Removed } from '../../src/store/commit.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { type Failure, tooManyEnded, toStoreError, unknownReply, unreadable } from './failure.js';
import { decodePlaced, decodeRecord } from './record.js';

const refused = <G extends string>(guard: G) => ({ outcome: 'refused' as const, guard });

const nameIn = <T extends string>(text: string, names: readonly T[]): T | undefined =>
  names.find((name) => name === text);

/** The error of an unexpected outcome. */
const errorOf = (key: SessionKey, outcome: string): StoreError => {
  if (outcome === 'ended') return tooManyEnded;
  return outcome === 'corrupt' ? unreadable(key) : unknownReply.error;
};

/** An outcome of a script: a word, a guard after `no`, and what follows it. */
const OUTCOME = /^(\w+)(?: (\w+)(?: (.*))?)?$/s;

/** Reads an outcome of a script. `read` gets its parts, and returns undefined for unknown ones. */
const outcomeOf = <T>(
  key: SessionKey,
  reply: Result<string, Failure>,
  read: (word: string, guard: string, more?: string) => T | undefined,
): Result<T, StoreError> => {
  if (reply.isErr()) return err(toStoreError(key, reply.error));
  const [, word = '', guard = '', more] = OUTCOME.exec(reply.value) ?? [];
  const outcome = read(word, guard, more);
  return outcome === undefined ? err(errorOf(key, word)) : ok(outcome);
};

export const begunOf = (
  key: SessionKey,
  reply: Result<string, Failure>,
): Result<Begun, StoreError> =>
  outcomeOf(key, reply, (word, second) => {
    if (word === 'made') return { outcome: word };
    const guard = nameIn(second, ['absent', 'source', 'live']);
    return guard && refused(guard);
  });

export const removedOf = (
  key: SessionKey,
  reply: Result<string, Failure>,
): Result<Removed, StoreError> =>
  outcomeOf(key, reply, (word, second) => {
    if (word === 'made') return { outcome: word };
    if (word === 'missing') return refused('present');
    const guard = nameIn(second, ['revision', 'unusedSince']);
    return guard && refused(guard);
  });

const WITHOUT_MORE = [
  'operation',
  'message',
  'inbox',
  'position',
  'entries',
  'dueAt',
  'live',
] as const;

/** A refusal by a guard; `corrupt` if its state cannot be read. */
const refusalOf = (key: SessionKey, text: string, more = ''): Changed | 'corrupt' | undefined => {
  const guard = nameIn(text, WITHOUT_MORE);
  if (guard !== undefined) return refused(guard);
  const placed = nameIn(text, ['end', 'superseded']);
  if (placed !== undefined) return { ...refused(placed), position: Number(more) };
  if (text === 'rewinds') return { ...refused(text), rewinds: Number(more) };
  const stated = nameIn(text, ['revision', 'unusedSince', 'open', 'over', 'fence']);
  if (stated === undefined) return undefined;
  const record = decodeRecord(key.id, more.replaceAll('\t', '\n'));
  return record ? { ...refused(stated), state: record.state } : 'corrupt';
};

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
): Result<Changed, StoreError> => {
  const changed = outcomeOf(key, reply, (word, second, more): Changed | 'corrupt' | undefined => {
    if (word === 'made') return madeOf(Number(second), more);
    if (word === 'repeated') return { outcome: word, position: Number(second) };
    if (word === 'missing') return refused('present');
    return word === 'no' ? refusalOf(key, second, more) : undefined;
  });
  return changed.andThen((outcome) => (outcome === 'corrupt' ? err(unreadable(key)) : ok(outcome)));
};
