/*
 * The types of https://github.com/standard-schema/standard-schema (`@standard-schema/spec` 1.1,
 * MIT), which its authors ask libraries to copy: so nobody needs another package.
 */

/**
 * A schema of any library that implements Standard Schema, for example Zod, Valibot or ArkType.
 * `Input` is what it accepts, `Output` what it makes of it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The part that all libraries share. */
  readonly '~standard': StandardProps<Input, Output>;
}

/** The members of `~standard` that are used. */
export interface StandardProps<Input = unknown, Output = Input> {
  /** The version of the standard. */
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  /** Exists for the compiler only. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Checks a value. */
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
}

/** The output of a schema, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** What is wrong with a value, in the words of the library. */
export interface StandardIssue {
  /** The rule, as text for people. */
  readonly message: string;
  /** The keys that lead to the part that breaks it. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The member of `~standard` of a library that describes its schemas as JSON Schema. */
export interface StandardJsonSchema {
  /** Returns the JSON Schema of what the schema accepts. Throws if there is none. */
  readonly input: (options: { readonly target: 'draft-2020-12' }) => unknown;
  /** Returns the JSON Schema of what the schema makes of it. Throws if there is none. */
  readonly output: (options: { readonly target: 'draft-2020-12' }) => unknown;
}
