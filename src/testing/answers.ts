import type { SearchTooLarge, StoreError, TooLarge } from '../session/errors.js';
import type { HistoryEntry } from '../session/session.js';
import type { Answer, SessionKey } from '../session/session-key.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type { SessionStore } from '../store/session-store.js';
import { expectEqual } from './expect-equal.js';
import { upTo } from './samples.js';

/** The value that the store returns. Fails if it returns an error. */
export const answerOf = async <T>(
  answer: Answer<T, StoreError | TooLarge | SearchTooLarge>,
): Promise<T> => {
  const result = await answer;
  if (result.isOk()) return result.value;
  throw new Error(`the store answered ${result.error.type}: ${result.error.message}`, {
    cause: result.error,
  });
};

/** The error that the store returns. Fails if it returns a value. */
export const errorOf = async <T, E extends StoreError | TooLarge | SearchTooLarge>(
  answer: Answer<T, E>,
): Promise<E> => {
  const result = await answer;
  if (result.isErr()) return result.error;
  throw new Error(`the store answered ${JSON.stringify(result.value)} where an error was expected`);
};

/** The contents of a record as plain data. */
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
