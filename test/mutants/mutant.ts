/** A bug that can be planted: one place of one file, changed. */
export interface Mutant {
  /** The wrong behaviour, as a user would report it. */
  readonly bug: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** The tests that should catch it. */
  readonly tests: readonly string[];
}
