import { isFields } from '../session/fields.js';
import type { Schema } from './schema.js';

/** The JSON that is sent for a value. */
export const sent = ({ wire, items }: Schema<unknown>, value: unknown): unknown => {
  if (items !== undefined && Array.isArray(value)) return value.map((item) => sent(items, item));
  if (wire === undefined) return value;
  const given = isFields(value) ? value : {};
  const written: Record<string, unknown> = {};
  for (const { name, sentAs, of } of wire)
    if (given[name] !== undefined) written[sentAs] = sent(of, given[name]);
  return written;
};
