import { tellHost } from '../session/call-host.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { type Fields, hasMethods, isFields } from '../session/fields.js';
import { KEY_LENGTH } from '../session/limits.js';
import type { WatchSignal } from '../session/session-event.js';
import type { IssueList } from './issue-list.js';

const noFields: Fields = {};

export const parseFields = (issues: IssueList, path: string, value: unknown): Fields => {
  if (isFields(value)) return value;
  issues.check(false, path, 'must be an object');
  return noFields;
};

/** A copy of an array, of at most `most` values; empty if the value is no array. */
export const parseArray = (
  issues: IssueList,
  path: string,
  value: unknown,
  { least, most, of }: { readonly least: number; readonly most: number; readonly of: string },
): readonly unknown[] => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const fits = Array.isArray(value) && list.length >= least && list.length <= most;
  issues.check(fits, path, `must be an array of ${least} to ${most} ${of}`);
  // Not by a method of the caller's array, which may be another one.
  const copy: unknown[] = [];
  const length = Math.min(list.length, most);
  for (let at = 0; at < length; at += 1) copy.push(list[at]);
  return copy;
};

type AnyFunction = (...given: readonly unknown[]) => unknown;

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

export const parseCallback = (issues: IssueList, path: string, value: unknown): AnyFunction => {
  if (isFunction(value)) return value;
  issues.check(false, path, 'must be a function');
  return () => undefined;
};

/** A function, if there is one. */
export const parseFunction = (
  issues: IssueList,
  path: string,
  value: unknown,
): AnyFunction | undefined => {
  if (value === undefined) return undefined;
  return parseCallback(issues, path, value);
};

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
  const call = parseFunction(issues, path, listener);
  return (value) => tellHost(() => call?.(value));
};

/**
 * In place of a field that a request must have and does not: `undefined` may mean a default.
 * Registered, because the handler and the service may come from two copies of this package.
 */
export const MISSING = Symbol.for('colloquy.missing');

const textRule = (value: unknown): string =>
  value === undefined || value === MISSING ? 'is required' : 'must be a string';

/** A string of 1 to `most` characters (UTF-16 code units). */
export const parseName = (
  issues: IssueList,
  path: string,
  value: unknown,
  most: number,
): string => {
  if (typeof value !== 'string') {
    issues.check(false, path, textRule(value));
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
    issues.check(false, path, textRule(value));
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
  if (fits) return value + 0;
  issues.check(false, path, `must be a number from ${least} to ${most}`);
  return 0;
};

/** An integer of at least `least`. */
export const parseWhole = (
  issues: IssueList,
  path: string,
  value: unknown,
  least: number,
): number => {
  const fits = typeof value === 'number' && value >= least && Number.isSafeInteger(value);
  if (fits) return value;
  issues.check(false, path, `must be a whole number, at least ${least}`);
  return least;
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

/** Control characters, and halves of surrogate pairs, which UTF-8 and so no database can hold. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

/** The operation id or idempotency key of a write, if there is one. */
export const parseOperationId = (
  issues: IssueList,
  path: string,
  value: unknown,
): string | undefined => {
  if (value === undefined) return undefined;
  const id = parseName(issues, path, value, KEY_LENGTH);
  const rule = 'must be well-formed Unicode without control characters';
  issues.check(!unstorable.test(id), path, rule);
  return id;
};

const isSignal = (value: unknown): value is WatchSignal =>
  isFields(value) &&
  typeof value['aborted'] === 'boolean' &&
  hasMethods(value, 'addEventListener', 'removeEventListener');

/** An AbortSignal, if there is one. */
export const parseSignal = (
  issues: IssueList,
  path: string,
  signal: unknown,
): WatchSignal | undefined => {
  if (isSignal(signal)) return signal;
  issues.check(signal === undefined, path, 'must be an AbortSignal');
  return undefined;
};
