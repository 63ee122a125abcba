import { type Fields, isFields } from '../input/parse-fields.js';

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
export const oneOf = <const T extends string>(texts: readonly T[]): Shape<T> =>
  plain(
    { type: 'string', ...(texts.length === 1 ? { const: texts[0] ?? '' } : { enum: texts }) },
    (value): value is T => texts.some((one) => one === value),
  );

/** An array of items of this shape. */
export const list = <T>({ schema, components, read, write }: Shape<T>): Shape<readonly T[]> => ({
  schema: { type: 'array', items: schema },
  components,
  read: (value) => {
    const items = Array.isArray(value) ? value.map((each) => read(each)) : [undefined];
    return items.every((item) => item !== undefined) ? items : undefined;
  },
  write: (values) => values.map(write),
});

/**
 * The same shape with more fields, which may be missing. A field of the wrong form counts as
 * missing.
 */
export const withOptional = <T extends object, U extends object>(
  base: Shape<T>,
  shapes: Shapes<U>,
): Shape<T & Partial<U>> => {
  const fields = Object.entries<Shape<unknown>>(shapes).map(([name, shape]) => ({
    name,
    sentAs: wireName(name),
    shape,
  }));
  const properties = Object.fromEntries(fields.map(({ sentAs, shape }) => [sentAs, shape.schema]));
  return {
    schema: { ...base.schema, properties: { ...base.schema.properties, ...properties } },
    components: Object.assign({}, base.components, ...fields.map(({ shape }) => shape.components)),
    read: (value) => {
      const found: (T & Partial<U>) | undefined = base.read(value);
      if (found === undefined || !isFields(value)) return undefined;
      const more = fields.flatMap(({ name, sentAs, shape }) => {
        const read = shape.read(value[sentAs]);
        return read === undefined ? [] : [[name, read]];
      });
      return Object.assign(found, Object.fromEntries(more));
    },
    write: (value) => {
      const given: Fields = { ...value };
      const more = fields.flatMap(({ name, sentAs, shape }) =>
        given[name] === undefined ? [] : [[sentAs, shape.write(given[name])]],
      );
      return Object.assign(Object(base.write(value)), Object.fromEntries(more));
    },
  };
};

/** A shape for each field. */
export type Shapes<T> = { readonly [K in keyof T]-?: Shape<T[K]> };

/**
 * An object with all of these fields. Other fields are ignored. `renamed` contains irregular wire
 * names.
 */
export const object = <T extends object>(
  shapes: Shapes<T>,
  renamed: Readonly<Record<string, string>> = {},
): Shape<T> => {
  const isField = (name: string): name is Extract<keyof T, string> => Object.hasOwn(shapes, name);
  const names = Object.keys(shapes).filter(isField);
  const isComplete = (found: Partial<T>): found is T =>
    names.every((name) => found[name] !== undefined);
  const wireNames = new Map(names.map((name) => [name, renamed[name] ?? wireName(name)]));
  const sentAs = (name: Extract<keyof T, string>): string => wireNames.get(name) ?? name;
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [sentAs(name), shapes[name].schema])),
      required: names.map(sentAs),
      additionalProperties: false,
    },
    components: Object.assign({}, ...names.map((name) => shapes[name].components)),
    read: (value) => {
      const fields: Fields = isFields(value) ? value : {};
      const found: Partial<T> = {};
      for (const name of names) found[name] = shapes[name].read(fields[sentAs(name)]);
      return isComplete(found) ? found : undefined;
    },
    write: (value) =>
      Object.fromEntries(names.map((name) => [sentAs(name), shapes[name].write(value[name])])),
  };
};
