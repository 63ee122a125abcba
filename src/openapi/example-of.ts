import type { Json, JsonSchema, JsonSchemas } from '../schema/json-schema.js';
import type { Example } from './types.js';

/** Returns a value that a JSON Schema allows; undefined if none is known. */
export type ExampleOf = (json: JsonSchema) => Json | undefined;

/** The member `examples` of what has one; nothing for what has none. */
export const examplesOf = (
  value: Json | undefined,
): { readonly examples?: Readonly<Record<string, Example>> } =>
  value === undefined ? {} : { examples: { example: { value } } };

const simplest = ({ type, format, pattern, minLength, minimum = 0 }: JsonSchema) => {
  const [first] = [type].flat();
  if (first === 'boolean') return true;
  if (first === 'integer' || first === 'number') return minimum;
  if (first !== 'string') return undefined;
  if (format === 'date-time') return '2026-01-31T18:00:00.000Z';
  return pattern === undefined && minLength === undefined ? '' : undefined;
};

/**
 * Makes examples for JSON Schemas that refer to these named ones. Objects contain the required
 * fields, and the optional ones whose JSON Schema has an example.
 */
export const exampleMaker = (schemas: JsonSchemas): ExampleOf => {
  const objectOf = ({ properties = {}, required = [] }: JsonSchema): Json | undefined => {
    const isShown = (name: string) => required.includes(name) || properties[name]?.examples;
    const names = [...new Set([...Object.keys(properties), ...required])].filter(isShown);
    const fields: Record<string, Json> = {};
    for (const name of names) {
      const value = exampleOf(properties[name] ?? {});
      if (value === undefined) return undefined;
      fields[name] = value;
    }
    return fields;
  };
  const exampleOf: ExampleOf = (json) => {
    const { $ref, examples = [], enum: all = [], oneOf, type, items } = json;
    if ($ref !== undefined) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {});
    if (json.not !== undefined) return undefined;
    const [own = json.const ?? all[0]] = examples;
    if (own !== undefined) return own;
    if (oneOf?.[0] !== undefined) return exampleOf(oneOf[0]);
    if (type === 'object') return objectOf(json);
    if (type !== 'array') return simplest(json);
    const item = exampleOf(items ?? {});
    return item === undefined ? [] : [item];
  };
  return exampleOf;
};
