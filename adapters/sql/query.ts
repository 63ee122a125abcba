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
