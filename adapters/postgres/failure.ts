import { type StoreUnavailable, storeUnavailable } from '../../src/errors.js';
import { isFields } from '../../src/input/values.js';

/** The failure of one attempt. */
export interface Failure {
  readonly error: StoreUnavailable;
  /** Whether the connection is as good as before: the server refused the statement, and undid it. */
  readonly isRefusal: boolean;
  /** Whether another transaction was in the way, so that the same statement may succeed now. */
  readonly isConflict: boolean;
}

/** Causes by their SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const reasons: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '3F000': 'the tables of the store are missing: call migrate() first',
  '40001': 'other transactions were in the way',
  '40P01': 'other transactions were in the way',
  '42501': 'the role lacks a right',
  '42883': 'the tables of the store are missing: call migrate() first',
  '42P01': 'the tables of the store are missing: call migrate() first',
  '53100': 'the disk is full',
  '53300': 'too many connections',
  '57014': 'the server has cancelled the call',
};

const conflicts = ['40001', '40P01'];

/** The server has undone a statement that it answers with ERROR. After FATAL or a lost connection it may be committed. */
const isUndone = (severity: unknown, code: unknown): code is string =>
  severity === 'ERROR' && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && code !== '40003';

/** The failure of a statement. `doubt` is the outcome if the statement may have been committed. */
export const failureOf = (cause: unknown, doubt: StoreUnavailable['outcome']): Failure => {
  const { severity, code } = isFields(cause) ? cause : {};
  if (!isUndone(severity, code)) {
    return { error: storeUnavailable('PostgreSQL did not answer', doubt, cause), isRefusal: false, isConflict: false };
  }
  const message = reasons[code] ?? `PostgreSQL refused the call: SQLSTATE ${code}`;
  const error = storeUnavailable(message, 'not_applied', cause);
  return { error, isRefusal: true, isConflict: conflicts.includes(code) };
};

/** The failure of a call that got no connection. */
export const notConnected = (cause: unknown): StoreUnavailable =>
  storeUnavailable('the pool gave no connection to PostgreSQL', 'not_applied', cause);

export const timedOut = (outcome: StoreUnavailable['outcome']): StoreUnavailable =>
  storeUnavailable('PostgreSQL did not answer in time', outcome);
