const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Orders members by their names, which differ. */
export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/**
 * A text that is the same for equal values: the names of each object are sorted, and undefined
 * values are left out.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(byName));
  });

/** Whether two values are the same JSON. The names of an object may come in any order. */
export const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || canonicalJson(a) === canonicalJson(b);
