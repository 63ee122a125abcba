import { type Fields, isFields } from '../../src/input/parse-fields.js';

/** A statement, or a part of one, with a `?` for each of its values. */
export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Statements, or parts of one, with a text between them. */
export const joined = (queries: readonly Query[], separator: string): Query => ({
  sql: queries.map(({ sql }) => sql).join(separator),
  values: queries.flatMap(({ values }) => values),
});

/** A part of a statement that is not needed. */
export const NOTHING: Query = { sql: '', values: [] };

/** The rows in an answer of a driver. */
export const rowsIn = (answer: unknown): readonly Fields[] => {
  if (!Array.isArray(answer)) return [];
  return answer.filter(isFields);
};
