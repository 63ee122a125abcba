import { type JsonSchema, ref } from './json-schema.js';
import type { Schema } from './schema.js';
import { wireFields } from './wire.js';

/*
 * Apart from the schemas, because the client reads values and describes none.
 */

/** The JSON Schema of a value; a reference if it has a name in the OpenAPI document. */
export const jsonOf = (of: Schema<unknown>): JsonSchema =>
  of.named === undefined ? ownJson(of) : ref(of.named.name);

const ownJson = (of: Schema<unknown>): JsonSchema => {
  if (of.oneOf !== undefined) return { oneOf: of.oneOf.map(jsonOf) };
  const { type, ...more } = of.json();
  return { ...(type && { type }), ...partsOf(of), ...more };
};

const partsOf = ({ wire, fields, items }: Schema<unknown>): JsonSchema => {
  if (items !== undefined) return { items: jsonOf(items) };
  if (fields === undefined) return {};
  const fieldJson = wire ? described : inputJson;
  const all = wireFields(fields);
  const required = all.filter(({ of }) => !of.isOptional).map(({ sentAs }) => sentAs);
  return {
    properties: Object.fromEntries(all.map(({ sentAs, of }) => [sentAs, fieldJson(of)])),
    ...(required.length > 0 && { required }),
  };
};

/** The JSON Schema of a value with its description. A reference is described elsewhere. */
export const described = (of: Schema<unknown>, more = ''): JsonSchema => {
  const json = jsonOf(of);
  if (json.$ref !== undefined) return json;
  const description = [of.means, more, json.description].filter(Boolean).join(' ');
  const { example } = of;
  return {
    ...json,
    ...(description && { description }),
    ...(example !== undefined && { examples: [example] }),
  };
};

/** In words, because some generators make a field with a `default` required. */
const defaultInWords = (absent: unknown): string => {
  if (typeof absent !== 'string' && typeof absent !== 'number') return '';
  return `Default: ${absent === '' ? 'empty' : absent}.`;
};

/**
 * The JSON Schema of an input's field: `null` in an optional one counts as a missing one. A
 * reference stays, though it allows no `null`.
 */
const inputJson = (field: Schema<unknown>): JsonSchema => {
  const json = described(field, defaultInWords(field.absent));
  // One without a type allows `null` already.
  if (!field.isOptional || json.type === undefined) return json;
  return { ...json, type: [json.type, 'null' as const].flat() };
};
