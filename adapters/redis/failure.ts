import type { Result } from 'neverthrow';
import {
  type CorruptRecord,
  corruptRecord,
  type StoreError,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/errors.js';
import type { SessionKey } from '../../src/store/session-store.js';

/** What a call of the store gives. */
export type Answer<T> = Promise<Result<T, StoreError>>;

/** What became of one attempt to reach the server. */
export interface Failure {
  /** The first word of an error reply; empty where there was none. */
  readonly code: string;
  readonly error: StoreUnavailable;
  /** Whether the same may succeed a moment later. */
  readonly isTransient: boolean;
}

/*
 * Error replies by their first word, the only part of them that is fixed. A server that answers with one of these has
 * not run the command, and our scripts have written nothing before they can fail.
 */

/** What is refused for a moment, and may soon succeed. */
const transient = ['ASK', 'BUSY', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN', 'MOVED', 'READONLY', 'TRYAGAIN'];

/** What is refused until somebody changes something. */
const lasting = ['CROSSSLOT', 'DENIED', 'MISCONF', 'NOAUTH', 'NOPERM', 'NOREPLICAS', 'OOM', 'WRONGPASS', 'WRONGTYPE'];

/** The first word of an error reply; before Redis 7 that of a command inside a script stands behind the script's own. */
const firstWord = /^(?:ERR Error running script .*?: )?-?([A-Z]{2,}) /;

/** The first word of an error reply; empty for what is none. */
const errorCode = (cause: unknown): string =>
  cause instanceof Error ? (firstWord.exec(cause.message)?.[1] ?? '') : '';

/** What a failed command means. Its text goes into `cause` without the command, which holds data and passwords. */
export const failureOf = (cause: unknown): Failure => {
  const code = errorCode(cause);
  const isTransient = transient.includes(code);
  if (isTransient || lasting.includes(code)) {
    return { code, error: storeUnavailable(`Redis refused: ${code}`, 'not_applied', textOf(cause)), isTransient };
  }
  // An error reply of another kind comes again; a lost connection is made anew.
  const message = code === '' ? 'Redis did not answer' : 'Redis answered with an error';
  return { code, error: storeUnavailable(message, 'unknown', textOf(cause)), isTransient: code === '' };
};

/** Where a call's time is over: `not_applied` for what was not even sent. */
export const timedOut = (outcome: StoreUnavailable['outcome']): Failure => ({
  code: '',
  error: storeUnavailable('Redis did not answer in time', outcome),
  isTransient: false,
});

/** Of a command that it does not know, a server repeats the arguments. */
const textOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replace(/, with args beginning with: .*/s, '');

/** What a failed command means for the session that it was about. */
export const failed =
  ({ id }: SessionKey) =>
  ({ code, error }: Failure): StoreError =>
    code === 'WRONGTYPE' ? corruptRecord(id, 'a key of it is of another type') : error;

export const unreadable = ({ id }: SessionKey): CorruptRecord =>
  corruptRecord(id, 'its record or its journal is of no format that this version knows');
