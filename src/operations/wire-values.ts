import { type Schema, typed } from '../schema/schema.js';
import { anyText } from '../schema/values.js';

/*
 * What the service sends has no limits, because it may have been stored under other limits.
 */

export const instant: Schema<string> = {
  ...anyText,
  json: () => ({ type: 'string', format: 'date-time' }),
};

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const count = (minimum = 0): Schema<number> =>
  typed(isWhole, 'must be a whole number', minimum, () => ({ type: 'integer', minimum }));
