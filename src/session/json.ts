import { isFields } from './fields.js';

/** A value of JSON (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON (RFC 8259). A member that is undefined is left out. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/**
 * A copy of JSON that shares no objects with it. `structuredClone` would create objects of another
 * realm in Jest, which `toStrictEqual` does not accept as equal.
 */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Freezes JSON and all that it contains, because several callers get it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
};

/** Orders members by their names, which differ. */
export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/**
 * A text that is the same for equal values: the names of each object are sorted, and undefined
 * values are left out.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (!isFields(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(byName));
  });

/** Whether two values are the same JSON. The names of an object may come in any order. */
export const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || canonicalJson(a) === canonicalJson(b);
