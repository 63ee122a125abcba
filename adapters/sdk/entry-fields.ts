import { isFields } from '../../src/session/fields.js';
import type { JsonValue } from '../../src/session/session.js';

export const isName = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most;

/** The service checks the value itself, and rejects it if it is not JSON. */
export const isJson = (value: unknown): value is JsonValue => value !== undefined;

/** The `text` of each part of a message that has one; a string is one part. */
export const textsIn = (content: unknown): readonly unknown[] => {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return parts.flatMap((part) => (isFields(part) && 'text' in part ? [part['text']] : []));
};
