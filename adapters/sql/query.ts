import { type Fields, isFields } from '../../src/session/fields.js';

/**
 * A statement or a part of it, with a `?` for each value, and a `$` before the name of each table:
 * see `withPrefix`.
 */
export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export const joined = (queries: readonly Query[], separator: string): Query => ({
  sql: queries.map(({ sql }) => sql).join(separator),
  values: queries.flatMap(({ values }) => values),
});

/** The `$body$` of functions stays. */
export const withPrefix = (sql: string, prefix: string): string =>
  sql.replace(/\$(?=[a-z_]+\b(?!\$))/g, prefix);

export const NOTHING: Query = { sql: '', values: [] };

/** Undefined for other answers of a driver, for example promises or rows without column names. */
export const rowsIn = (answer: unknown): readonly Fields[] | undefined =>
  Array.isArray(answer) && answer.every(isFields) ? answer : undefined;
