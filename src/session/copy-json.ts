/**
 * A copy of JSON that shares no objects with it. `structuredClone` would create objects of another
 * realm in Jest, which `toStrictEqual` does not accept as equal.
 */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
