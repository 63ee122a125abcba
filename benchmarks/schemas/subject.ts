import type { InputIssue } from '../../src/session/errors.js';

/** What a reader makes of its input, or the issues of the input. */
export type Answer = { readonly value: unknown } | { readonly issues: readonly InputIssue[] };

/** Readers of the inputs of three operations, made with one library. */
export interface Subject {
  readonly create: (input: unknown) => Answer;
  readonly append: (entries: unknown, options: unknown) => Answer;
  readonly list: (query: unknown) => Answer;
  /** The JSON Schemas of the three inputs. */
  readonly jsonSchemas: () => readonly unknown[];
}
