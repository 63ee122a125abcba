import type { JsonObject, JsonValue } from './json.js';
import type { StandardSchema } from './standard-schema.js';

/**
 * What metadata and the data of entries must be, as schemas of any library that implements Standard
 * Schema. They are checked when they are written, and typed wherever they are read. What is stored
 * is the output of the schema, as JSON; the limits hold for it too.
 *
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const metadata = z.object({ user: z.string(), plan: z.enum(['free', 'paid']).default('free') });
 * const typed = new SessionService({ store, schemas: { metadata } });
 * const created = await typed.orThrow.create({ metadata: { user: 'u-1' } });
 * console.log(created.metadata.plan); // free
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
   * Also check metadata and data when they are read, for example those stored before the schema:
   * what does not fit fails with `corrupt_record`. Default: false.
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

/*
 * Types that are read are marked `out`: those with schemas can be passed on as those without. The
 * compiler does not find this out, because it compares conditional types by nothing else.
 */

/** A type that a schema leaves open is that of any JSON. */
type Known<Type, Else> = unknown extends Type ? Else : Type;

type Side<S extends StandardSchema, K extends 'input' | 'output'> = NonNullable<
  S['~standard']['types']
>[K];

/** One side of the schema `N`; `Json` if there is none, or if it leaves its type open. */
type TypeOf<T, N extends 'metadata' | 'data', K extends 'input' | 'output', Json> =
  T extends Readonly<Record<N, infer S extends StandardSchema>> ? Known<Side<S, K>, Json> : Json;

/** The metadata of sessions as they are read. */
export type MetadataOf<T extends SessionSchemas> = TypeOf<T, 'metadata', 'output', JsonObject>;

/** The metadata of sessions as they are written. */
export type MetadataInputOf<T extends SessionSchemas> = TypeOf<T, 'metadata', 'input', JsonObject>;

/** The data of entries as they are read. */
export type DataOf<T extends SessionSchemas> = TypeOf<T, 'data', 'output', JsonValue>;

/** The data of entries as they are written. */
export type DataInputOf<T extends SessionSchemas> = TypeOf<T, 'data', 'input', JsonValue>;

/** Members of metadata to set, and with `null` to remove. */
export type MetadataChangesOf<T extends SessionSchemas> = {
  readonly [K in keyof MetadataInputOf<T>]?: MetadataInputOf<T>[K] | null;
};
