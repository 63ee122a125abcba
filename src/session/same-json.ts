import type { JsonObject, JsonValue } from './session.js';

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** Names of the members of an object. A member that is undefined counts as absent. */
const namesOf = (value: JsonObject): readonly string[] =>
  Object.keys(value).filter((name) => value[name] !== undefined);

const sameObjects = (a: JsonObject, b: JsonObject): boolean => {
  const names = namesOf(a);
  if (names.length !== namesOf(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]));
};

/** Whether two values are the same JSON. The names of an object may come in any order. */
export const sameJson = (a: JsonValue | undefined, b: JsonValue | undefined): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (!isList(a)) return !isList(b) && sameObjects(a, b);
  return isList(b) && a.length === b.length && a.every((part, at) => sameJson(part, b[at]));
};
