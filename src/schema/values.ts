import { exceedsBytes } from '../session/exceeds-bytes.js';
import { KEY_LENGTH } from '../session/limits.js';
import type { JsonSchema } from './json-schema.js';
import { checked, mapped, optional, type Schema, schema, typed } from './schema.js';

const MAX = Number.MAX_SAFE_INTEGER;

/**
 * In place of a field that a request must have and does not: `undefined` may mean a default.
 * Registered, because the handler and the service may come from two copies of this package.
 */
export const MISSING = Symbol.for('colloquy.missing');

const textRule = (value: unknown): string =>
  value === undefined || value === MISSING ? 'is required' : 'must be a string';

const stringThat = (
  fits: (value: string) => boolean,
  rule: string,
  json: () => JsonSchema,
): Schema<string> =>
  schema(
    (issues, path, value) => {
      if (typeof value !== 'string') {
        issues.check(false, path, textRule(value));
        return '';
      }
      issues.check(fits(value), path, rule);
      return value;
    },
    () => ({ type: 'string', ...json() }),
  );

/** A string of 1 to `most` characters (UTF-16 code units). */
export const name = (most: number): Schema<string> =>
  stringThat(
    (value) => value.length >= 1 && value.length <= most,
    `must have 1 to ${most} characters`,
    () => ({ minLength: 1, maxLength: most }),
  );

/** A string, possibly empty, of at most `mostBytes` of UTF-8. */
export const text = (mostBytes: number): Schema<string> => {
  const bytes = Math.floor(mostBytes);
  return stringThat(
    (value) => !exceedsBytes(value, mostBytes),
    `must have at most ${mostBytes} bytes of UTF-8`,
    () => ({ maxLength: bytes, description: `At most ${bytes} bytes of UTF-8.` }),
  );
};

/** A string of this form. Its JSON Schema contains the source of the form, which has no flags. */
export const matching = (form: RegExp, rule: string): Schema<string> =>
  typed(
    (value): value is string => typeof value === 'string' && form.test(value),
    rule,
    '',
    () => ({
      type: 'string',
      pattern: form.source,
    }),
  );

/** A finite number from `least` to `most`; `-0` counts as 0. */
export const number = (least: number, most: number): Schema<number> =>
  schema(
    (issues, path, value) => {
      if (typeof value === 'number' && value >= least && value <= most) return value + 0;
      issues.check(false, path, `must be a number from ${least} to ${most}`);
      return least;
    },
    () => ({ type: 'number', minimum: least, maximum: most }),
  );

/** Milliseconds that a timer of the platform can wait. */
export const milliseconds: Schema<number> = number(1, 2 ** 31 - 1);

export const whole = (least: number): Schema<number> =>
  typed(
    (value): value is number =>
      typeof value === 'number' && value >= least && Number.isSafeInteger(value),
    `must be a whole number, at least ${least}`,
    least,
    () => ({ type: 'integer', minimum: least, maximum: MAX }),
  );

export const upTo = (most: number): Schema<number> => ({
  ...checked(whole(1), (value) => value <= most, `must be at most ${most}`),
  json: () => ({ type: 'integer', minimum: 1, maximum: most }),
});

/** An integer of at least `least`; above `most` it counts as `most`. */
export const capped = (least: number, most: number): Schema<number> =>
  mapped(whole(least), (value) => Math.min(value, most));

export const flag: Schema<boolean> = typed(
  (value) => typeof value === 'boolean',
  'must be true or false',
  false,
  () => ({ type: 'boolean' }),
);

export const onOrOff: Schema<boolean> = optional(flag, false);

/** Control characters, and halves of surrogate pairs, which UTF-8 and so no database can hold. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

export const operationId: Schema<string> = checked(
  name(KEY_LENGTH),
  (id) => !unstorable.test(id),
  'must be well-formed Unicode without control characters',
);

/** An array of `least` to `most` items, which `of` names in the plural. */
export const list = <T>(
  items: Schema<T>,
  { least = 0, most, of }: { readonly least?: number; readonly most: number; readonly of: string },
): Schema<readonly T[]> => ({
  items,
  json: () => ({
    type: 'array',
    ...(least > 0 && { minItems: least }),
    maxItems: Math.floor(most),
  }),
  read: (issues, path, value) => {
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    const fits = Array.isArray(value) && given.length >= least && given.length <= most;
    issues.check(fits, path, `must be an array of ${least} to ${most} ${of}`);
    // Not by a method of the caller's array, which the caller may have replaced.
    const found: T[] = [];
    const length = Math.min(given.length, most);
    for (let at = 0; at < length; at += 1)
      found.push(items.read(issues, `${path}[${at}]`, given[at]));
    return found;
  },
});

export const oneOf = <const T extends string>(
  texts: readonly [T, ...T[]],
  rule = `must be one of ${texts.join(', ')}`,
): Schema<T> => {
  const [first, ...others] = texts;
  return typed(
    (value): value is T => texts.some((text) => text === value),
    rule,
    first,
    () => ({
      type: 'string',
      ...(others.length === 0 ? { const: first } : { enum: texts }),
    }),
  );
};

export const anyText: Schema<string> = typed(
  (value) => typeof value === 'string',
  'must be a string',
  '',
  () => ({ type: 'string' }),
);
