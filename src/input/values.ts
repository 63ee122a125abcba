import type { IssueList } from './issues.js';

/** Properties of an argument that may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

declare const rule: unique symbol;

/** A value, and in its type alone the rule that it was read by. */
export type ReadAs<T, Mark> = T & { readonly [rule]?: Mark };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a string takes more bytes of UTF-8; a far too long one is not encoded just to be refused. */
const exceedsBytes = (text: string, most: number): boolean => {
  if (text.length > most) return true;
  if (text.length * 3 <= most) return false;
  return new TextEncoder().encode(text).length > most;
};

/** A string of 1 to `most` characters (UTF-16 code units). */
export const readName = <M extends number>(
  issues: IssueList,
  path: string,
  value: unknown,
  most: M,
): ReadAs<string, ['name', M]> => {
  if (typeof value !== 'string') {
    issues.check(false, path, value === undefined ? 'is required' : 'must be a string');
    return '';
  }
  issues.check(value.length >= 1 && value.length <= most, path, `must have 1 to ${most} characters`);
  return value;
};

/** A string that may be empty, of at most `mostBytes` in UTF-8. */
export const readText = (
  issues: IssueList,
  path: string,
  value: unknown,
  mostBytes: number,
): ReadAs<string, ['text']> => {
  if (typeof value !== 'string') {
    issues.check(false, path, value === undefined ? 'is required' : 'must be a string');
    return '';
  }
  issues.check(!exceedsBytes(value, mostBytes), path, `must have at most ${mostBytes} bytes of UTF-8`);
  return value;
};

/** A finite number from `least` to `most`; `-0` is taken as 0. */
export const readNumber = <L extends number>(
  issues: IssueList,
  path: string,
  value: unknown,
  least: L,
  most: number,
): ReadAs<number, ['number', L]> => {
  const fits = typeof value === 'number' && value >= least && value <= most;
  issues.check(fits, path, `must be a number from ${least} to ${most}`);
  return fits ? value + 0 : 0;
};

/** A whole number from `least` up. */
export const readWhole = (issues: IssueList, path: string, value: unknown, least: number): number => {
  const fits = typeof value === 'number' && value >= least && Number.isSafeInteger(value);
  issues.check(fits, path, `must be a whole number, at least ${least}`);
  return fits ? value : least;
};

/** A name on a list of the host's, where there is one. */
export const checkAllowed = (
  issues: IssueList,
  path: string,
  value: string,
  allowed: ReadonlySet<string> | undefined,
): void => {
  if (allowed !== undefined) issues.check(allowed.has(value), path, 'is not one of the names that this host allows');
};
