import { callback } from '../schema/host-values.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { object } from '../schema/object.js';
import { mapped, named, optional, type Schema, schema } from '../schema/schema.js';
import { onOrOff } from '../schema/values.js';
import { callHost } from '../session/call-host.js';
import { hasMethods, isFields } from '../session/fields.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { StandardJsonSchema, StandardProps } from '../session/standard-schema.js';

/** A schema of the host. */
export interface HostSchema {
  /** The `~standard` of the schema. */
  readonly standard: StandardProps;
  /**
   * The JSON Schema of what it accepts, or of what it makes of that; undefined if neither the host
   * nor the library knows one.
   */
  readonly jsonSchema: (side: 'input' | 'output') => JsonSchema | undefined;
}

/**
 * The same schema with the JSON Schema of the host's, under a name of its own: its references lead
 * to other parts of it.
 */
export const describedBy = <T>(
  host: HostSchema | undefined,
  name: string,
  of: Schema<T>,
): Schema<T> => {
  if (host === undefined) return of;
  return named(name, { ...of, json: () => host.jsonSchema('input') ?? of.json() });
};

/** The checked schemas of a host. */
export interface HostSchemas {
  /** Of metadata; undefined for any. */
  readonly metadata: HostSchema | undefined;
  /** Of the data of entries; undefined for any. */
  readonly data: HostSchema | undefined;
  /** Whether reads are checked too. */
  readonly onRead: boolean;
}

const RULE = 'must be a Standard Schema, such as one of Zod, Valibot or ArkType';

const propsOf = (of: object): unknown => Reflect.get(of, '~standard');

const isStandard = (value: unknown): value is StandardProps =>
  isFields(value) && value['version'] === 1 && typeof value['validate'] === 'function';

/** The `~standard` of a schema, which is a function in some libraries. */
const standard: Schema<StandardProps | undefined> = schema((issues, path, value) => {
  const found: unknown =
    isFields(value) || typeof value === 'function' ? propsOf(value) : undefined;
  const fits = isStandard(found);
  issues.check(fits, path, RULE);
  return fits ? found : undefined;
});

const fields = {
  metadata: optional(standard),
  data: optional(standard),
  onRead: onOrOff,
  jsonSchema: optional(object({ metadata: optional(callback), data: optional(callback) }), {
    metadata: undefined,
    data: undefined,
  }),
} satisfies Readonly<Record<keyof SessionSchemas, Schema<unknown>>>;

const isLibrary = (value: unknown): value is StandardJsonSchema =>
  hasMethods(value, 'input', 'output');

const isJsonSchema = (value: unknown): value is JsonSchema => isFields(value);

/** A library throws for a schema that JSON Schema cannot express. */
const knownTo = (props: StandardProps, side: 'input' | 'output'): unknown =>
  callHost(() => {
    const library: unknown = Reflect.get(props, 'jsonSchema');
    return isLibrary(library) ? library[side]({ target: 'draft-2020-12' }) : undefined;
  });

const hostSchema = (
  props: StandardProps | undefined,
  given: (() => unknown) | undefined,
): HostSchema | undefined => {
  if (props === undefined) return undefined;
  const jsonSchema = (side: 'input' | 'output') => {
    const json = given === undefined ? knownTo(props, side) : callHost(given);
    return isJsonSchema(json) ? json : undefined;
  };
  return { standard: props, jsonSchema };
};

export const hostSchemas: Schema<HostSchemas> = mapped(
  object(fields),
  ({ metadata, data, onRead, jsonSchema }) => ({
    metadata: hostSchema(metadata, jsonSchema.metadata),
    data: hostSchema(data, jsonSchema.data),
    onRead,
  }),
);
