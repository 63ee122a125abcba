import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { isFields } from '../../src/session/fields.js';
import { isError } from '../../src/session/native-kinds.js';

/** Primary result codes by their names (https://www.sqlite.org/rescode.html). */
const BUSY = { SQLITE_BUSY: 5 };
const NO_RIGHT = { SQLITE_PERM: 3, SQLITE_READONLY: 8, SQLITE_AUTH: 23 };

export type Refusal = StoreUnavailable | Misconfigured;

/** A driver has returned something that cannot be the answer to a query. */
export class ForeignAnswer extends Error {}

export const textOf = (cause: unknown): string => (isError(cause) ? cause.message : String(cause));

/**
 * Drivers report the result code in different properties. The low byte of an extended code is the
 * primary code.
 */
const hasCode = (cause: unknown, codes: Readonly<Record<string, number>>): boolean => {
  if (!isFields(cause)) return false;
  const { code, errcode, errno, rawCode } = cause;
  return Object.entries(codes).some(
    ([name, primary]) =>
      (typeof code === 'string' && code.startsWith(name)) ||
      [errcode, errno, rawCode].some(
        (value) => typeof value === 'number' && value % 256 === primary,
      ),
  );
};

export const isBusy = (cause: unknown): boolean => hasCode(cause, BUSY);

/** The missing part if the tables were not made, or were made by an earlier version. */
const missingPart = (cause: unknown): string | undefined => {
  const text = textOf(cause);
  if (/no such table: colloquy_/.test(text)) return 'the tables of the store are missing';
  if (/no such column|has no column named/.test(text)) return 'a column of the store is missing';
  return undefined;
};

export const failed = (cause: unknown, outcome: StoreUnavailable['outcome']): Refusal => {
  if (cause instanceof ForeignAnswer) return storeUnavailable(cause.message, outcome, cause);
  if (isBusy(cause))
    return storeUnavailable('another connection has locked the database', outcome, cause);
  const missing = missingPart(cause);
  if (missing !== undefined) return misconfigured(`${missing}: call migrate() first`, cause);
  if (hasCode(cause, NO_RIGHT)) return misconfigured('SQLite may not write to the database', cause);
  return storeUnavailable('SQLite refused the call', outcome, cause);
};
