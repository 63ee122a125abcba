import { exceedsBytes } from '../session/exceeds-bytes.js';
import { OPERATION_ID_LENGTH } from '../session/session-limits.js';
import type { IssueList } from './issue-list.js';

/** An object of unknown properties. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  isFields(value) && names.every((name) => typeof value[name] === 'function');

const noFields: Fields = {};

export const parseFields = (issues: IssueList, path: string, value: unknown): Fields => {
  const fits = isFields(value);
  issues.check(fits, path, 'must be an object');
  return fits ? value : noFields;
};

export const checkFunction = (issues: IssueList, path: string, value: unknown): void =>
  issues.check(value === undefined || typeof value === 'function', path, 'must be a function');

/** An optional setting that is on or off. */
export const checkSwitch = (issues: IssueList, path: string, value: unknown): void =>
  issues.check(value === undefined || typeof value === 'boolean', path, 'must be true or false');

/** Whether a switch is on; off by default. */
export const parseSwitch = (issues: IssueList, path: string, value: unknown): boolean => {
  checkSwitch(issues, path, value);
  return value === true;
};

/** An optional listener of the host. Its exceptions and rejections are ignored. */
export const parseListener = (
  issues: IssueList,
  path: string,
  listener: unknown,
): ((value?: unknown) => void) => {
  checkFunction(issues, path, listener);
  return (value) => {
    (async () => typeof listener === 'function' && listener(value))().catch(() => {});
  };
};

/** In place of a field that a request must have and does not: `undefined` may mean a default. */
export const MISSING = Symbol('missing');

const isMissing = (value: unknown): boolean => value === undefined || value === MISSING;

/** A string of 1 to `most` characters (UTF-16 code units). */
export const parseName = (
  issues: IssueList,
  path: string,
  value: unknown,
  most: number,
): string => {
  if (typeof value !== 'string') {
    issues.check(false, path, isMissing(value) ? 'is required' : 'must be a string');
    return '';
  }
  issues.check(
    value.length >= 1 && value.length <= most,
    path,
    `must have 1 to ${most} characters`,
  );
  return value;
};

/** A string, possibly empty, of at most `mostBytes` of UTF-8. */
export const parseText = (
  issues: IssueList,
  path: string,
  value: unknown,
  mostBytes: number,
): string => {
  if (typeof value !== 'string') {
    issues.check(false, path, value === undefined ? 'is required' : 'must be a string');
    return '';
  }
  issues.check(
    !exceedsBytes(value, mostBytes),
    path,
    `must have at most ${mostBytes} bytes of UTF-8`,
  );
  return value;
};

/** A finite number from `least` to `most`; `-0` counts as 0. */
export const parseNumber = (
  issues: IssueList,
  path: string,
  value: unknown,
  least: number,
  most: number,
): number => {
  const fits = typeof value === 'number' && value >= least && value <= most;
  issues.check(fits, path, `must be a number from ${least} to ${most}`);
  return fits ? value + 0 : 0;
};

/** An integer of at least `least`. */
export const parseWhole = (
  issues: IssueList,
  path: string,
  value: unknown,
  least: number,
): number => {
  const fits = typeof value === 'number' && value >= least && Number.isSafeInteger(value);
  issues.check(fits, path, `must be a whole number, at least ${least}`);
  return fits ? value : least;
};

/** An integer from 1 to `most`. */
export const parseUpTo = (
  issues: IssueList,
  path: string,
  value: unknown,
  most: number,
): number => {
  const number = parseWhole(issues, path, value, 1);
  issues.check(number <= most, path, `must be at most ${most}`);
  return number;
};

/** The limit of an answer, at least 1. Above the maximum it counts as the maximum. */
export const parseLimit = (issues: IssueList, path: string, value: unknown, most: number): number =>
  Math.min(parseWhole(issues, path, value, 1), most);

/** Characters that need no encoding in a URL and a header. */
export const operationIdForm = /^[\w.~:-]+$/;

/** The operation id of a write, if there is one. */
export const parseOperationId = (issues: IssueList, value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const fits =
    typeof value === 'string' && value.length <= OPERATION_ID_LENGTH && operationIdForm.test(value);
  issues.check(
    fits,
    'operationId',
    `must be 1 to ${OPERATION_ID_LENGTH} of the characters A-Z a-z 0-9 _ . ~ : -`,
  );
  return fits ? value : undefined;
};
