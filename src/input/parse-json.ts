import type { JsonValue } from '../session/session.js';
import type { IssueList } from './issue-list.js';

/** Maximum depth of nested objects and arrays. */
export const MAX_DEPTH = 64;

export const TOO_DEEP = `must have at most ${MAX_DEPTH} nested objects and arrays`;
export const UNREADABLE = 'cannot be read: it throws';

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/**
 * Where a value breaks the rules of JSON (RFC 8259), or undefined. A property that is undefined
 * counts as absent.
 */
const flawIn = (value: unknown, depth: number): string | undefined => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  if (typeof value === 'number') return 'must contain only finite numbers';
  if (typeof value !== 'object') return 'must be a JSON value';
  if (depth === MAX_DEPTH) return TOO_DEEP;
  if (!Array.isArray(value) && !isPlainObject(value))
    return 'must contain only plain objects and arrays';
  const parts = Array.isArray(value)
    ? value
    : Object.values(value).filter((part) => part !== undefined);
  for (const part of parts) {
    const flaw = flawIn(part, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

/** A JSON value as text; undefined if the value is missing or breaks a rule. */
export const parseJson = (issues: IssueList, path: string, value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  try {
    const flaw = flawIn(value, 0);
    if (flaw === undefined) return JSON.stringify(value);
    issues.check(false, path, flaw);
  } catch {
    // A getter or a proxy of the caller may throw.
    issues.check(false, path, UNREADABLE);
  }
  return undefined;
};

/** The value of a text that `parseJson` returned. It shares no objects with the caller's value. */
export const valueOfJson = (text: string): JsonValue => JSON.parse(text);
