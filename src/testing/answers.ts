import { cutText } from '../session/cut-text.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../session/errors.js';
import type { HistoryEntry } from '../session/session.js';
import type { Answer, SessionKey } from '../session/session-key.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type { SessionStore } from '../store/session-store.js';
import { upTo } from './samples.js';

/**
 * The assertions of the contract. They throw an `Error` and need no library, so that the contract
 * runs under any test runner and on any JavaScript runtime.
 */

const MAX_SHOWN = 120;

const shown = (value: unknown): string => {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN
    ? `${cutText(text, MAX_SHOWN)}... (${text.length} characters)`
    : text;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Compares two values of a property specially, or returns undefined to compare them as usual.
 */
export type Alike = (actual: unknown, expected: unknown, name: string) => boolean | undefined;

/**
 * Describes the first difference of two values. A missing property equals one that is `undefined`.
 */
export const difference = (
  actual: unknown,
  expected: unknown,
  path: string,
  alike?: Alike,
): string | undefined => {
  const isAlike = alike?.(actual, expected, path.slice(path.lastIndexOf('.') + 1));
  if (isAlike ?? Object.is(actual, expected)) return undefined;
  if (
    isAlike === false ||
    !isObject(actual) ||
    !isObject(expected) ||
    Array.isArray(actual) !== Array.isArray(expected)
  ) {
    return `${path} is ${shown(actual)} where ${shown(expected)} was expected`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(
      actual[key],
      expected[key],
      Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`,
      alike,
    );
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Fails unless both are deeply equal. `what` names the value in the message. */
export const expectEqual = (actual: unknown, expected: unknown, what: string): void => {
  const found = difference(actual, expected, what);
  if (found !== undefined) throw new Error(found);
};

/** Fails unless `holds`. `rule` is the expectation, for the message. */
export const expectThat = (holds: boolean, rule: string): void => {
  if (!holds) throw new Error(`expected: ${rule}`);
};

export const answerOf = async <T>(
  answer: Answer<T, StoreError | TooLarge | SearchTooLarge>,
): Promise<T> => {
  const result = await answer;
  if (result.isOk()) return result.value;
  throw new Error(`the store returned ${result.error.type}: ${result.error.message}`, {
    cause: result.error,
  });
};

/** The error that the store returns. Fails if it returns a value. */
export const errorOf = async <T, E extends StoreError | TooLarge | SearchTooLarge>(
  answer: Answer<T, E>,
): Promise<E> => {
  const result = await answer;
  if (result.isErr()) return result.error;
  throw new Error(`the store returned ${JSON.stringify(result.value)} where an error was expected`);
};

export interface Contents {
  readonly head: SessionHead;
  readonly state: StateRecord;
  readonly history: readonly HistoryEntry[];
}

export const contentsOf = (record: SessionRecord): Contents => ({
  head: record.head,
  state: record.state,
  history: record.history,
});

/** Fails unless exactly these contents are stored under `key`, or nothing for `undefined`. */
export const expectStored = async (
  store: Pick<SessionStore, 'find' | 'findState'>,
  key: SessionKey,
  expected: Contents | undefined,
  what = 'the record',
): Promise<void> => {
  const found = await answerOf(store.find(key));
  expectEqual(found && contentsOf(found), expected, what);
  expectEqual(await answerOf(store.findState(key)), expected?.state, `the state of ${what}`);
};

/**
 * Runs `step` until it returns `true`, at most `limit` times. `goal` names the expected outcome in
 * the error.
 */
export const repeatUntil = async (
  goal: string,
  limit: number,
  step: () => Promise<boolean>,
): Promise<void> => {
  for (const _ of upTo(limit)) {
    if (await step()) return;
  }
  throw new Error(`gave up after ${limit} steps while waiting for: ${goal}`);
};
