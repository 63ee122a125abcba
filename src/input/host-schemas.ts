import { callback } from '../schema/host-values.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { object } from '../schema/object.js';
import { mapped, optional, type Schema, schema } from '../schema/schema.js';
import type {
  StandardJsonSchema,
  StandardProps,
  StandardSchema,
} from '../schema/standard-schema.js';
import { onOrOff } from '../schema/values.js';
import { callHost } from '../session/call-host.js';
import { hasMethods, isFields } from '../session/fields.js';

/**
 * What metadata and the data of entries must be, as schemas of any library that implements Standard
 * Schema. They are checked when they are written, and typed wherever they are read. What is stored
 * is the output of the schema, as JSON; the limits hold for it too.
 *
 * @example
 * ```ts
 * const sessions = new SessionService({
 *   store,
 *   schemas: { metadata: z.object({ user: z.string(), rating: z.number().optional() }) },
 * });
 * const created = await sessions.create({ face: 'ada', metadata: { user: '' } });
 * ```
 */
export interface SessionSchemas {
  /**
   * The metadata of a session. A session without any has `{}`, which is checked too; an update is
   * checked as a whole, so the schema must accept its own output. Default: any JSON object.
   */
  readonly metadata?: StandardSchema | undefined;
  /** The `data` of an entry that has data. Default: any JSON value. */
  readonly data?: StandardSchema | undefined;
  /**
   * Whether metadata and data are also checked when they are read, such as those that were stored
   * before the schema: what does not fit fails with `corrupt_record`. Default: false.
   */
  readonly onRead?: boolean | undefined;
  /**
   * Functions that return the JSON Schemas (2020-12) for the OpenAPI document. Default: those of
   * the library, if its schemas have `~standard.jsonSchema`.
   */
  readonly jsonSchema?:
    | {
        /** Returns the JSON Schema of `metadata`. */
        readonly metadata?: (() => unknown) | undefined;
        /** Returns the JSON Schema of `data`. */
        readonly data?: (() => unknown) | undefined;
      }
    | undefined;
}

/** A schema of the host. */
export interface HostSchema {
  readonly standard: StandardProps;
  /** The JSON Schema of its input; undefined if neither the host nor the library knows one. */
  readonly jsonSchema: () => JsonSchema | undefined;
}

/** The checked schemas of a host. */
export interface HostSchemas {
  readonly metadata: HostSchema | undefined;
  readonly data: HostSchema | undefined;
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

const isLibrary = (value: unknown): value is StandardJsonSchema => hasMethods(value, 'input');

const isJsonSchema = (value: unknown): value is JsonSchema => isFields(value);

/** A library throws for a schema that JSON Schema cannot express. */
const knownTo = (props: StandardProps): unknown =>
  callHost(() => {
    const library: unknown = Reflect.get(props, 'jsonSchema');
    return isLibrary(library) ? library.input({ target: 'draft-2020-12' }) : undefined;
  });

const hostSchema = (
  props: StandardProps | undefined,
  given: (() => unknown) | undefined,
): HostSchema | undefined => {
  if (props === undefined) return undefined;
  const jsonSchema = () => {
    const json = given === undefined ? knownTo(props) : given();
    return isJsonSchema(json) ? json : undefined;
  };
  return { standard: props, jsonSchema };
};

/** The schemas of a host. */
export const hostSchemas: Schema<HostSchemas> = mapped(
  object(fields),
  ({ metadata, data, onRead, jsonSchema }) => ({
    metadata: hostSchema(metadata, jsonSchema.metadata),
    data: hostSchema(data, jsonSchema.data),
    onRead,
  }),
);
