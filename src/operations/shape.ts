import { type Fields, isFields } from '../session/fields.js';

/** A JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

type Schemas = Readonly<Record<string, Schema>>;

/** A JSON Schema (2020-12), with the keywords that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

/** The type of a value on the wire: its schema, and how to read and write it. */
export interface Shape<T> {
  /** The JSON Schema of the value. */
  readonly schema: Schema;
  /** The named schemas that `schema` refers to. */
  readonly components: Schemas;
  /** Parses a value from the wire; undefined if it does not have this shape. */
  read(value: unknown): T | undefined;
  /** The JSON value that is sent for a value. */
  write(value: T): unknown;
}

/** The name of a field on the wire: `created_at` for `createdAt`. */
export const wireName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A value that is sent unchanged, if it passes `is`. */
export const plain = <T>(schema: Schema, is: (value: unknown) => value is T): Shape<T> => ({
  schema,
  components: {},
  read: (value) => (is(value) ? value : undefined),
  write: (value) => value,
});

/** The same shape as a named component of the OpenAPI document. */
export const named = <T>(name: string, shape: Shape<T>): Shape<T> => ({
  ...shape,
  schema: ref(name),
  components: { ...shape.components, [name]: shape.schema },
});

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const text: Shape<string> = plain({ type: 'string' }, isText);

export const instant: Shape<string> = plain({ type: 'string', format: 'date-time' }, isText);

export const whole = (minimum = 0): Shape<number> => plain({ type: 'integer', minimum }, isWhole);

export const seconds: Shape<number> = plain({ type: 'number', minimum: 0 }, isNumber);

export const bool: Shape<boolean> = plain(
  { type: 'boolean' },
  (value): value is boolean => typeof value === 'boolean',
);

/** One of these texts. */
export const oneOf = <const T extends string>(texts: readonly T[]): Shape<T> => {
  const [only = '', ...others] = texts;
  const among = others.length === 0 ? { const: only } : { enum: texts };
  return plain({ type: 'string', ...among }, (value): value is T =>
    texts.some((one) => one === value),
  );
};

/** An array of items of this shape. */
export const list = <T>({ schema, components, read, write }: Shape<T>): Shape<readonly T[]> => ({
  schema: { type: 'array', items: schema },
  components,
  read: (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((each) => read(each));
    return items.every((item) => item !== undefined) ? items : undefined;
  },
  write: (values) => values.map(write),
});

/** A shape for each field. */
export type Shapes<T> = { readonly [K in keyof T]-?: Shape<T[K]> };

/**
 * An object with all of the first fields. The `optional` ones may be missing, and count as missing
 * in a wrong form. Others are ignored. `renamed` contains irregular wire names.
 */
export const object = <T extends object, U extends object = object>(
  shapes: Shapes<T>,
  optional?: Shapes<U>,
  renamed: Readonly<Record<string, string>> = {},
): Shape<NoInfer<T & Partial<U>>> => {
  const fields = Object.entries<Shape<unknown>>({ ...shapes, ...optional }).map(
    ([name, shape]) => ({ name, sentAs: renamed[name] ?? wireName(name), shape }),
  );
  const required = fields.filter(({ name }) => Object.hasOwn(shapes, name));
  const isComplete = (found: object): found is T & Partial<U> =>
    required.every(({ name }) => Object.hasOwn(found, name));
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ sentAs, shape }) => [sentAs, shape.schema])),
      ...(required.length > 0 && { required: required.map(({ sentAs }) => sentAs) }),
      additionalProperties: false,
    },
    components: Object.assign({}, ...fields.map(({ shape }) => shape.components)),
    read: (value) => {
      if (!isFields(value)) return undefined;
      const found: Record<string, unknown> = {};
      for (const { name, sentAs, shape } of fields) {
        const read = shape.read(value[sentAs]);
        if (read !== undefined) found[name] = read;
      }
      return isComplete(found) ? found : undefined;
    },
    write: (value) => {
      const given: Fields = { ...value };
      const sent: Record<string, unknown> = {};
      for (const { name, sentAs, shape } of fields)
        if (given[name] !== undefined) sent[sentAs] = shape.write(given[name]);
      return sent;
    },
  };
};
