import { isFields } from './fields.js';
import { byName } from './json.js';
import type { SessionLabels } from './session.js';

/**
 * Whether a value has the form of labels. Limits are not checked: stored labels were checked when
 * they were given.
 */
export const isLabels = (value: unknown): value is SessionLabels =>
  isFields(value) && Object.values(value).every((label) => typeof label === 'string');

/**
 * Whether two sets of labels have the same names and values.
 *
 * @example
 * ```ts
 * console.log(sameLabels({ user: 'u-1', channel: 'web' }, { user: 'u-1' })); // false
 * console.log(sameLabels({}, undefined)); // true
 * ```
 */
export const sameLabels = (a: SessionLabels | undefined, b: SessionLabels | undefined): boolean => {
  if (a === b) return true;
  const [one, other] = [Object.entries(a ?? {}), b ?? {}];
  return (
    one.length === Object.keys(other).length && one.every(([name, value]) => other[name] === value)
  );
};

export const changedLabels = (
  before: SessionLabels = {},
  after: SessionLabels = {},
): readonly string[] =>
  before === after
    ? []
    : Object.keys({ ...before, ...after })
        .filter((name) => before[name] !== after[name])
        .toSorted();

/**
 * Whether labels include all of the `wanted` names and values.
 *
 * @example
 * ```ts
 * console.log(hasLabels({ user: 'u-1', channel: 'web' }, { user: 'u-1' })); // true
 * ```
 */
export const hasLabels = (
  labels: SessionLabels | undefined,
  wanted: SessionLabels | undefined,
): boolean =>
  wanted === undefined || Object.entries(wanted).every(([name, value]) => labels?.[name] === value);

export const sortedLabels = (
  entries: readonly (readonly [string, string])[],
): SessionLabels | undefined => {
  if (entries.length === 0) return undefined;
  return Object.freeze(Object.fromEntries([...entries].sort(byName)));
};
