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

export type Answer<T> = Promise<Result<T, StoreError>>;

/** A failed attempt. `code` is the first word of the error reply; '' without one. */
export interface Failure {
  readonly code: string;
  readonly error: StoreUnavailable | Misconfigured;
  readonly isTransient: boolean;
}

/*
 * Error replies by their first word, the only fixed part. After one of these replies, the command
 * was not run: scripts check everything before their first write.
 */

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

const lasting = ['CROSSSLOT', 'DENIED', 'MISCONF', 'NOREPLICAS', 'OOM', 'WRONGTYPE'];

/**
 * Refusals of the client's user. Clients log in before they send commands on a new connection, so
 * these last until the host changes the user or the client.
 */
const denied: Readonly<Record<string, string>> = {
  NOAUTH: 'Redis refused the call: the client has not logged in',
  NOPERM: 'Redis refused the call: the user lacks a right',
  WRONGPASS: 'Redis refused the login: the user name or password is wrong',
};

/** Before Redis 7, errors of commands in a script follow a prefix. */
const firstWord = /^(?:ERR Error running script .*?: )?-?([A-Z]{2,}) /;

/** Redis 7.0 reports missing rights inside scripts without a first word. */
const noRight = /The user executing the script can't run this command|ACL failure in script/;

const errorCode = (cause: unknown): string => {
  if (!isError(cause)) return '';
  return noRight.test(cause.message) ? 'NOPERM' : (firstWord.exec(cause.message)?.[1] ?? '');
};

/** The error keeps only the message of `cause`, whose command contains data and passwords. */
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
  // Any other error reply would come again. Without a reply, the connection was lost and will be
  // reopened.
  const message = code === '' ? 'Redis did not answer' : 'Redis answered with an error';
  return {
    code,
    error: storeUnavailable(message, 'unknown', textOf(cause)),
    isTransient: code === '',
  };
};

export const outcomeOfFailure = ({ error }: Failure): StoreUnavailable['outcome'] =>
  error.type === 'misconfigured' ? 'not_applied' : error.outcome;

/**
 * The outcome of all attempts of a call: after an attempt in doubt, a refusal of the user does not
 * prove that nothing was applied.
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
 * A reply in a form that the server never sends. The outcome is unknown, so sending the command
 * again could apply it twice.
 */
export const unknownReply: Failure = {
  code: '',
  error: storeUnavailable(
    'the Redis client returned a reply of an unknown form: is it inside of a MULTI?',
    'unknown',
  ),
  isTransient: false,
};

/** A call at its deadline: `not_applied` if its command was not sent. */
export const timedOut = (outcome: StoreUnavailable['outcome']): Failure => ({
  code: '',
  error: storeUnavailable('Redis did not answer in time', outcome),
  isTransient: false,
});

/** Servers repeat the arguments of unknown commands in their errors. */
const textOf = (cause: unknown): string =>
  (isError(cause) ? cause.message : String(cause)).replace(/, with args beginning with: .*/s, '');

const notSent = (cause: string): Failure => ({
  code: '',
  error: storeUnavailable('the Redis client did not send the command', 'not_applied', cause),
  isTransient: true,
});

/** The host has closed the client, or not connected it. */
export const closed: Failure = {
  code: '',
  error: storeUnavailable('the Redis client is closed', 'not_applied'),
  isTransient: false,
};

export const toStoreError = ({ id }: SessionKey, { code, error }: Failure): StoreError =>
  code === 'WRONGTYPE' ? corruptRecord(id, 'one of its keys has a wrong type') : error;

export const unreadable = ({ id }: SessionKey): CorruptRecord =>
  corruptRecord(id, 'this version does not know the format of its record or journal');

export const tooManyEnded = storeUnavailable(
  'too many expired sessions are not swept; run a sweeper',
  'not_applied',
);
