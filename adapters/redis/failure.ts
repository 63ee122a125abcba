import type { Result } from 'neverthrow';
import {
  type CorruptRecord,
  corruptRecord,
  type Misconfigured,
  misconfigured,
  type StoreError,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { isError } from '../../src/session/native-kinds.js';
import type { SessionKey } from '../../src/store/session-store.js';
import type { Fate } from './clients.js';

/** The result of a call of the store. */
export type Answer<T> = Promise<Result<T, StoreError>>;

/** The failure of one attempt to reach the server. */
export interface Failure {
  /** The first word of an error reply; empty without an error reply. */
  readonly code: string;
  readonly error: StoreUnavailable | Misconfigured;
  /** Whether a retry may succeed a moment later. */
  readonly isTransient: boolean;
}

/*
 * Error replies by their first word, the only fixed part. A server that answers with one of these
 * has not run the command, and the scripts revert their earlier writes.
 */

/** Transient refusals: a retry may soon succeed. */
const transient = [
  'ASK',
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MOVED',
  'READONLY',
  'TRYAGAIN',
];

/** Refusals that last until the server's data or settings change. */
const lasting = ['CROSSSLOT', 'DENIED', 'MISCONF', 'NOREPLICAS', 'OOM', 'WRONGTYPE'];

/**
 * Refusals of the client's user, which last until the host changes the user or the client. A
 * client logs in before it sends commands on a new connection, so these replies do not come and go
 * with connections.
 */
const denied: Readonly<Record<string, string>> = {
  NOAUTH: 'Redis refused the call: the client has not logged in',
  NOPERM: 'Redis refused the call: the user lacks a right',
  WRONGPASS: 'Redis refused the login: the user name or password is wrong',
};

/**
 * The first word of an error reply. Before Redis 7, the word of a command in a script comes after
 * that of the script.
 */
const firstWord = /^(?:ERR Error running script .*?: )?-?([A-Z]{2,}) /;

/** The user has no right to a command of a script. Redis 7.0 has no first word for this. */
const noRight = /The user executing the script can't run this command|ACL failure in script/;

/** The first word of an error reply; empty for any other value. */
const errorCode = (cause: unknown): string => {
  if (!isError(cause)) return '';
  return noRight.test(cause.message) ? 'NOPERM' : (firstWord.exec(cause.message)?.[1] ?? '');
};

/**
 * The failure of a command. The error keeps only the text of `cause`, because the command on it
 * contains data and passwords.
 */
export const failureOf = (cause: unknown, fate?: Fate): Failure => {
  if (fate === 'unsent') return notSent(textOf(cause));
  const code = fate === 'lost' ? '' : errorCode(cause);
  const setup = denied[code];
  if (setup !== undefined)
    return { code, error: misconfigured(setup, textOf(cause)), isTransient: false };
  const isTransient = transient.includes(code);
  if (isTransient || lasting.includes(code)) {
    return {
      code,
      error: storeUnavailable(`Redis refused: ${code}`, 'not_applied', textOf(cause)),
      isTransient,
    };
  }
  // Another error reply would come again. Without an error reply, the connection was lost and will
  // be opened again.
  const message = code === '' ? 'Redis did not answer' : 'Redis answered with an error';
  return {
    code,
    error: storeUnavailable(message, 'unknown', textOf(cause)),
    isTransient: code === '',
  };
};

/** What an attempt has done: a refusal of the user has done nothing. */
export const outcomeOfFailure = ({ error }: Failure): StoreUnavailable['outcome'] =>
  error.type === 'misconfigured' ? 'not_applied' : error.outcome;

/**
 * The error with what all attempts of the call have done. After an attempt in doubt, a refusal of
 * the user is no proof that nothing was applied.
 */
export const withOutcome = (
  { error }: Failure,
  outcome: StoreUnavailable['outcome'],
): Failure['error'] => {
  if (error.type === 'store_unavailable') return { ...error, outcome };
  if (outcome === 'not_applied') return error;
  return storeUnavailable(error.message, outcome, error.cause);
};

/**
 * The failure of a command with a reply that the server never sends, so its outcome is unknown.
 * Sending it again could apply it twice.
 */
export const unknownReply: Failure = {
  code: '',
  error: storeUnavailable(
    'the Redis client returned a reply of an unknown form: is it inside of a MULTI?',
    'unknown',
  ),
  isTransient: false,
};

/** The failure of a call at its deadline: `not_applied` if the command was not sent. */
export const timedOut = (outcome: StoreUnavailable['outcome']): Failure => ({
  code: '',
  error: storeUnavailable('Redis did not answer in time', outcome),
  isTransient: false,
});

/**
 * Removes the arguments of the command, which a server repeats in the error for an unknown command.
 */
const textOf = (cause: unknown): string =>
  (isError(cause) ? cause.message : String(cause)).replace(/, with args beginning with: .*/s, '');

/** The failure of a call that the client has not sent. */
const notSent = (cause: string): Failure => ({
  code: '',
  error: storeUnavailable('the Redis client did not send the command', 'not_applied', cause),
  isTransient: true,
});

/** The failure of a call whose client the host has closed, or not connected. */
export const closed: Failure = {
  code: '',
  error: storeUnavailable('the Redis client is closed', 'not_applied'),
  isTransient: false,
};

/** The error of a failed command for the session that it was about. */
export const toStoreError = ({ id }: SessionKey, { code, error }: Failure): StoreError =>
  code === 'WRONGTYPE' ? corruptRecord(id, 'one of its keys has a wrong type') : error;

export const unreadable = ({ id }: SessionKey): CorruptRecord =>
  corruptRecord(id, 'this version does not know the format of its record or journal');

export const tooManyEnded = storeUnavailable(
  'too many sessions have ended by the clock and are not swept; run a sweeper',
  'not_applied',
);
