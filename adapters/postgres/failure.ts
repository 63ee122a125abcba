import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { isFields } from '../../src/session/fields.js';

export interface Failure {
  readonly error: StoreUnavailable | Misconfigured;
  /**
   * `refused`: the server has refused and undone the statement. `conflict`: it has undone the
   * statement because of another transaction, so that a retry may succeed. `lost`: the connection
   * is no longer usable. `late`: the timeout has passed.
   */
  readonly kind: 'refused' | 'conflict' | 'lost' | 'late';
}

const LOCKED = '55P03';

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const reasons: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '25P02': 'an earlier statement of the transaction has failed',
  '40001': 'other transactions were in the way',
  '40P01': 'other transactions were in the way',
  '53100': 'the disk is full',
  '53300': 'too many connections',
  [LOCKED]: 'another transaction holds a lock that the call needs',
  '57014': 'the server has cancelled the call',
};

/** By SQLSTATE. The tables were not made, or were made by an earlier version. */
const missingParts: Readonly<Record<string, string>> = {
  '3F000': 'the tables of the store are missing',
  '42704': 'a type of the store is missing',
  '42703': 'a column of the store is missing',
  '42883': 'a function of the store is missing',
  '42P01': 'the tables of the store are missing',
};

/** By SQLSTATE. They last until somebody changes the privileges or the settings. */
const wrongSetups: Readonly<Record<string, string>> = {
  '28000': 'PostgreSQL does not let this role connect',
  '28P01': 'PostgreSQL does not accept the password',
  '3D000': 'the database does not exist',
  '42501': 'the role lacks a privilege',
};

/** SQLSTATE of a unique violation, here of a number from a sequence. */
const NUMBER_TAKEN = '23505';
const SEQUENCE_BEHIND =
  'the sequence of a table is behind its rows: call migrate() with the role that owns the tables';

/** For SQLSTATE 2D000: within a transaction, a procedure cannot begin another transaction. */
const STRICT_TRANSACTION =
  'the pool gave a connection inside a transaction that is not READ COMMITTED';

/**
 * Whether the server has rolled back a statement that failed with this SQLSTATE. It may be committed
 * if a connection was lost (08, 57P), after an error of the file system (58) or of the server itself
 * (XX), or after a timeout of the transaction (25P). The severity cannot be used, because it is in
 * the language of the server. Codes of Node, such as EPIPE, begin with E.
 */
const isRolledBack = (code: unknown): code is string =>
  typeof code === 'string' &&
  /^[0-9FHP][0-9A-Z]{4}$/.test(code) &&
  !/^(?:08|57P|58|25P0[34]|40003)/.test(code);

const codeOf = (cause: unknown): unknown => (isFields(cause) ? cause['code'] : undefined);

/** pg uses the first name, postgres.js the second. */
const constraintOf = (cause: unknown): string =>
  isFields(cause) ? String(cause['constraint'] ?? cause['constraint_name']) : '';

/** `doubt`: the outcome if the statement may have been committed. */
export const lost = (cause: unknown, doubt: StoreUnavailable['outcome']): Failure => ({
  kind: 'lost',
  error: storeUnavailable('PostgreSQL did not answer', doubt, cause),
});

export const failureOf = (cause: unknown, doubt: StoreUnavailable['outcome']): Failure => {
  const code = codeOf(cause);
  if (!isRolledBack(code)) return lost(cause, doubt);
  const missing = missingParts[code];
  if (missing !== undefined) {
    return { kind: 'refused', error: misconfigured(`${missing}: call migrate() first`, cause) };
  }
  const wrongSetup = wrongSetups[code];
  if (wrongSetup !== undefined) return { kind: 'refused', error: misconfigured(wrongSetup, cause) };
  if (code === NUMBER_TAKEN && /^(sessions|outbox)_pkey$/.test(constraintOf(cause)))
    return { kind: 'refused', error: misconfigured(SEQUENCE_BEHIND, cause) };
  if (code === '2D000') return { kind: 'refused', error: misconfigured(STRICT_TRANSACTION, cause) };
  const message = reasons[code] ?? `PostgreSQL refused the call: SQLSTATE ${code}`;
  const kind = code === '40001' || code === '40P01' ? 'conflict' : 'refused';
  return { kind, error: storeUnavailable(message, 'not_applied', cause) };
};

/** The failure has ended a transaction of the host. */
export const doomed = ({ kind, error }: Failure): Failure => {
  const message = `${error.message}: the transaction can only be rolled back`;
  return { kind, error: { ...error, message } };
};

export const notConnected = (cause: unknown): Failure => {
  const wrongSetup = wrongSetups[String(codeOf(cause))];
  if (wrongSetup !== undefined) return { kind: 'refused', error: misconfigured(wrongSetup, cause) };
  const error = storeUnavailable('the pool gave no connection to PostgreSQL', 'not_applied', cause);
  return { kind: 'refused', error };
};

/** Whether another transaction has held a lock for longer than the call may wait. */
export const isHeldUp = ({ cause }: StoreUnavailable | Misconfigured): boolean =>
  codeOf(cause) === LOCKED;

/** No statement of the store can have such an answer. */
export const foreignAnswer = (doubt: StoreUnavailable['outcome']): StoreUnavailable =>
  storeUnavailable('the pool answered in an unknown form', doubt);

export const timedOut = (outcome: StoreUnavailable['outcome']): Failure => ({
  kind: 'late',
  error: storeUnavailable('PostgreSQL did not answer in time', outcome),
});
