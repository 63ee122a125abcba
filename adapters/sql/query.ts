/** A statement, or a part of one, with a `?` for each of its values. */
export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}
