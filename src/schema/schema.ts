import type { IssueList } from './issue-list.js';
import type { Json, JsonSchema } from './json-schema.js';

/*
 * A language of our own, because the inputs read by Valibot or Zod take more bytes and more CPU
 * time: see benchmarks/schemas.
 */

export type Read<T> = (issues: IssueList, path: string, value: unknown) => T;

export type FieldSchemas = Readonly<Record<string, Schema<unknown>>>;

/**
 * What a value must be: the rules that it is read by, and the same rules as a JSON Schema, with
 * those that JSON Schema cannot express as a description.
 */
export interface Schema<T> {
  readonly read: Read<T>;
  /**
   * Returns the JSON Schema of the value, without the schemas of its fields and items: see
   * `jsonOf`.
   */
  readonly json: () => JsonSchema;
  /** The name of a field on the wire, unless it is the service's name in snake case. */
  readonly sentAs?: string;
  /** What a value means, as the beginning of a description. */
  readonly means?: string;
  /** A value in the form that it is sent in. */
  readonly example?: Json;
  /** Whether a field with this schema may be missing. */
  readonly isOptional?: boolean;
  /** What a missing field counts as. */
  readonly absent?: unknown;
  /** Whether a field with this schema is only checked: it is not read where it is missing. */
  readonly isIgnored?: boolean;
  /** Of an object. */
  readonly fields?: FieldSchemas;
  /** Of an object that the service sends: its fields with their names on the wire. */
  readonly wire?: readonly WireField[];
  /** Of an array. */
  readonly items?: Schema<unknown>;
  /** Of a value with several forms. */
  readonly oneOf?: readonly Schema<unknown>[];
  /** The name of a schema in the OpenAPI document, and what it names there. */
  readonly named?: { readonly name: string; readonly of: Schema<unknown> };
}

export interface WireField {
  readonly name: string;
  readonly sentAs: string;
  readonly of: Schema<unknown>;
}

export type Out<S> = S extends Schema<infer T> ? T : never;

export type OutOf<F extends FieldSchemas> = { readonly [K in keyof F]: Out<F[K]> };

/** Omit `json` for values that JSON cannot contain. */
export const schema = <T>(read: Read<T>, json: () => JsonSchema = () => ({})): Schema<T> => ({
  read,
  json,
});

/** Values that `is` recognises. `instead` is returned in place of others. */
export const typed = <T, D = T>(
  is: (value: unknown) => value is T,
  rule: string,
  instead: D,
  json?: () => JsonSchema,
): Schema<T | D> =>
  schema<T | D>((issues, path, value) => {
    if (is(value)) return value;
    issues.check(false, path, rule);
    return instead;
  }, json);

/** Adds a description to a schema. */
export const about = <S extends Schema<unknown>>(means: string, of: S): S => ({ ...of, means });

/** Adds an example to a schema, in the form in which it is sent. */
export const like = <S extends Schema<unknown>>(example: Json, of: S): S => ({ ...of, example });

export interface OptionalSchema<T> extends Schema<T> {
  readonly isOptional: true;
}

/**
 * The field may be missing; then it counts as `absent`.
 *
 * @example
 * ```ts
 * const note = optional(plain({ type: 'string' }));
 * const body: Operation['body'] = { name: 'Note', of: () => object({ note }) };
 * ```
 */
export function optional<T>(of: Schema<T>): OptionalSchema<T | undefined>;
export function optional<T, D>(of: Schema<T>, absent: D): OptionalSchema<T | D>;
export function optional(of: Schema<unknown>, absent?: unknown): OptionalSchema<unknown> {
  const read: Read<unknown> = (issues, path, value) =>
    value === undefined ? absent : of.read(issues, path, value);
  return { ...of, read, isOptional: true, absent };
}

/** The field may be missing or `null`; then it counts as `absent`. */
export function nullish<T>(of: Schema<T>): Schema<T | undefined>;
export function nullish<T, D>(of: Schema<T>, absent: D): Schema<T | D>;
export function nullish(of: Schema<unknown>, absent?: unknown): Schema<unknown> {
  const read: Read<unknown> = (issues, path, value) =>
    value === undefined || value === null ? absent : of.read(issues, path, value);
  return { ...of, read, isOptional: true, absent };
}

/** A field that is accepted and ignored. It costs nothing where it is missing. */
export const ignored = <T>(of: Schema<T>): Schema<T | undefined> => ({
  ...nullish(of),
  isIgnored: true,
});

/** Values that also follow a rule that JSON Schema cannot express. */
export const checked = <T>(
  of: Schema<T>,
  holds: (value: T) => boolean,
  rule: string,
): Schema<T> => ({
  ...of,
  read: (issues, path, value) => {
    const earlier = issues.found.length;
    const read = of.read(issues, path, value);
    issues.check(issues.found.length > earlier || holds(read), path, rule);
    return read;
  },
});

export const mapped = <T, U>(of: Schema<T>, map: (value: T) => U): Schema<U> => ({
  ...of,
  read: (issues, path, value) => map(of.read(issues, path, value)),
});

/**
 * The same schema with a name in the OpenAPI document.
 *
 * @example
 * ```ts
 * const rating = named('Rating', plain({ type: 'integer' }));
 * const output: Output = { status: 200, body: rating };
 * ```
 */
export const named = <T>(name: string, of: Schema<T>): Schema<T> => ({
  ...of,
  named: { name, of },
});

/**
 * A value of which only the JSON Schema is known. It is read and sent unchanged; its user checks
 * it. Routes of a host describe queries, bodies and outputs with it.
 *
 * @example
 * ```ts
 * const stars = plain({ type: 'integer', minimum: 1, maximum: 5 });
 * const output: Output = { status: 200, body: stars };
 * ```
 */
export const plain = (json: JsonSchema): Schema<unknown> =>
  schema(
    (_issues, _path, value) => value,
    () => json,
  );

export const anything: Schema<unknown> = plain({});
