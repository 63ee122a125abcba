import { cutText } from '../session/cut-text.js';

/**
 * The assertions of the contract. They throw an `Error` and need no library, so that the contract
 * runs under any test runner and on any JavaScript runtime.
 */

const MAX_SHOWN = 120;

const shown = (value: unknown): string => {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN
    ? `${cutText(text, MAX_SHOWN)}... (${text.length} characters)`
    : text;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Compares two values of a property in another way; undefined if they are compared as usual.
 */
export type Alike = (actual: unknown, expected: unknown, name: string) => boolean | undefined;

/**
 * Describes the first difference of two values. A missing property equals one that is `undefined`.
 */
export const difference = (
  actual: unknown,
  expected: unknown,
  path: string,
  alike?: Alike,
): string | undefined => {
  const isAlike = alike?.(actual, expected, path.slice(path.lastIndexOf('.') + 1));
  if (isAlike ?? Object.is(actual, expected)) return undefined;
  if (
    isAlike === false ||
    !isObject(actual) ||
    !isObject(expected) ||
    Array.isArray(actual) !== Array.isArray(expected)
  ) {
    return `${path} is ${shown(actual)} where ${shown(expected)} was expected`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(
      actual[key],
      expected[key],
      Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`,
      alike,
    );
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Fails unless both are deeply equal. `what` names the value in the message. */
export const expectEqual = (actual: unknown, expected: unknown, what: string): void => {
  const found = difference(actual, expected, what);
  if (found !== undefined) throw new Error(found);
};

/** Fails unless `holds`. `rule` is the expectation, for the message. */
export const expectThat = (holds: boolean, rule: string): void => {
  if (!holds) throw new Error(`expected: ${rule}`);
};
