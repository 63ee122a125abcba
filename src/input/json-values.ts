import type { IssueList } from '../schema/issue-list.js';
import { mapped, nullish, type Schema, schema } from '../schema/schema.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { isFields } from '../session/fields.js';
import { deepFreeze } from '../session/json.js';
import type { JsonObject, JsonValue, MetadataChanges } from '../session/session.js';

/** Maximum depth of nested objects and arrays. */
export const MAX_DEPTH = 64;

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/**
 * How many values metadata may have, and the rule that more of them break. A value takes a byte of
 * JSON at least, so more of them than bytes are allowed are too many, however often one of them is
 * repeated.
 */
interface Bound {
  values: number;
  readonly rule: string;
}

/** Why an object must not be read as metadata, or undefined. Calls none of its getters. */
const memberFlawIn = (value: object): string | undefined => {
  const members = Object.entries(Object.getOwnPropertyDescriptors(value));
  if (members.some(([, { get, set }]) => (get ?? set) !== undefined))
    return 'must have no getters and setters';
  if (members.some(([name]) => name === '__proto__'))
    return 'must have no member with the name __proto__';
  return undefined;
};

/**
 * Where a value breaks the rules of JSON (RFC 8259), or those of metadata if it has a bound;
 * otherwise undefined. A property that is undefined counts as absent.
 */
const flawIn = (value: unknown, bound?: Bound, depth = 0): string | undefined => {
  if (bound !== undefined) bound.values -= 1;
  if (bound !== undefined && bound.values < 0) return bound.rule;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  if (typeof value === 'number') return 'must contain only finite numbers';
  if (typeof value !== 'object') return 'must be a JSON value';
  if (depth === MAX_DEPTH) return `must have at most ${MAX_DEPTH} nested objects and arrays`;
  if (!Array.isArray(value) && !isPlainObject(value))
    return 'must contain only plain objects and arrays';
  const member = bound && memberFlawIn(value);
  if (member !== undefined) return member;
  const parts = Array.isArray(value)
    ? value
    : Object.values(value).filter((part) => part !== undefined);
  for (const part of parts) {
    const flaw = flawIn(part, bound, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

const parseWithout = (
  issues: IssueList,
  path: string,
  value: unknown,
  flawOf: (value: unknown) => string | undefined,
): string | undefined => {
  try {
    const flaw = flawOf(value);
    if (flaw === undefined) return JSON.stringify(value);
    issues.check(false, path, flaw);
  } catch (cause) {
    // A getter or a proxy of the caller may throw.
    issues.caught(cause, path);
  }
  return undefined;
};

/** Any JSON value as text; undefined for one that breaks a rule. */
export const jsonText: Schema<string | undefined> = schema((issues, path, value) =>
  parseWithout(issues, path, value, (given) => flawIn(given)),
);

/** The value of a text that `jsonText` returned. It shares no objects with the caller's value. */
export const valueOfJson = (text: string): JsonValue => JSON.parse(text);

export const isObject = (value: JsonValue): value is JsonObject => isFields(value);

export const bytesRule = (most: number): string =>
  `must have at most ${most} bytes of UTF-8 as JSON`;

/** Metadata to set, and with `null` to remove, as a frozen copy; undefined if none is given. */
export const metadataChanges = (most: number): Schema<MetadataChanges | undefined> => {
  const rule = bytesRule(most);
  const flawOf = (given: unknown): string | undefined =>
    isFields(given) ? flawIn(given, { values: most, rule }) : 'must be an object';
  return nullish(
    schema(
      (issues, path, value) => {
        const text = parseWithout(issues, path, value, flawOf);
        if (text === undefined) return undefined;
        issues.check(!exceedsBytes(text, most), path, rule);
        const parsed = valueOfJson(text);
        return isObject(parsed) ? deepFreeze(parsed) : undefined;
      },
      () => ({
        type: 'object',
        description: `At most ${Math.floor(most)} bytes of UTF-8 as JSON.`,
      }),
    ),
  );
};

/** Metadata as a state has them; undefined if they are empty. */
export const noneIfEmpty = (given: JsonObject | undefined): JsonObject | undefined =>
  given !== undefined && Object.keys(given).length > 0 ? given : undefined;

export const metadata = (most: number): Schema<JsonObject | undefined> =>
  mapped(metadataChanges(most), noneIfEmpty);
