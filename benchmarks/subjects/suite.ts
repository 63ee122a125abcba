import type { Redis } from 'ioredis';
import type { Result, ResultAsync } from 'neverthrow';
import type { Group, GroupResult } from '../harness/measure.js';

/** What the suites work with. */
export interface Context {
  /** A client of an empty database, which suites leave empty. */
  readonly redis: Redis;
  readonly redisUrl: string;
  /** Small sizes, to check that everything works, not to judge figures. */
  readonly quick: boolean;
  /** How many rounds a suite takes that measures by itself. */
  readonly rounds: number;
}

/** Figures that are counted or weighed, and not timed. */
export interface Count {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
}

/**
 * Groups that are set up together. Each is measured as soon as it is yielded, before the next is
 * requested.
 */
export interface Suite {
  readonly name: string;
  groups?(context: Context): AsyncIterable<Group>;
  /** Measured by the suite itself, where a call is not one of this process. */
  results?(context: Context): Promise<readonly GroupResult[]>;
  counts?(context: Context): Promise<readonly Count[]>;
}

/** Fails unless the benchmark does what it claims to do. */
export const expect = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`a benchmark is wrong: ${what}`);
};

/** The value of a result; the benchmark fails if it is an error. */
export const resultOf = <T>(result: Result<T, { readonly message: string }>): T => {
  if (result.isErr()) throw new Error(result.error.message);
  return result.value;
};

/** Returns the value of an operation; the benchmark fails if the operation fails. */
export const must = async <T>(answer: ResultAsync<T, { readonly message: string }>): Promise<T> =>
  resultOf(await answer);

/** Opens the servers that are measured. */
export const API_KEY = 'a-key-of-the-benchmarks';
