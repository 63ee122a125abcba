import { type Fields, isFields } from '../../src/session/fields.js';

/**
 * A statement, or a part of one, with a `?` for each of its values, and a `$` before the name of
 * each table: see `withPrefix`.
 */
export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Statements, or parts of one, with a text between them. */
export const joined = (queries: readonly Query[], separator: string): Query => ({
  sql: queries.map(({ sql }) => sql).join(separator),
  values: queries.flatMap(({ values }) => values),
});

/**
 * The statement with a prefix instead of the `$` before its names. The `$body$` of functions stays.
 */
export const withPrefix = (sql: string, prefix: string): string =>
  sql.replace(/\$(?=[a-z_]+\b(?!\$))/g, prefix);

/** A part of a statement that is not needed. */
export const NOTHING: Query = { sql: '', values: [] };

/**
 * The rows in an answer of a driver; undefined if it has another form, for example a promise or
 * rows without column names.
 */
export const rowsIn = (answer: unknown): readonly Fields[] | undefined =>
  Array.isArray(answer) && answer.every(isFields) ? answer : undefined;
