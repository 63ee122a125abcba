import type { FieldSchemas, WireField } from './schema.js';

/** The name of a field on the wire: `created_at` for `createdAt`. */
export const wireName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Fields with their names on the wire. */
export const wireFields = (fields: FieldSchemas): readonly WireField[] =>
  Object.entries(fields).map(([name, of]) => ({ name, sentAs: of.sentAs ?? wireName(name), of }));
