import { type InputIssue, type InvalidInput, invalidInput } from '../errors.js';

/** A hostile input must not make a report larger than itself. */
const MOST_ISSUES = 20;

/** Collects what is wrong with one input while it is read, so that a caller learns all of it at once. */
export class IssueList {
  readonly found: InputIssue[] = [];
  readonly #most: number;

  constructor(most = MOST_ISSUES) {
    this.#most = most;
  }

  check(holds: boolean, path: string, rule: string): void {
    if (!holds && this.found.length < this.#most) this.found.push({ path, message: rule });
  }
}

/**
 * Reads arguments of a caller in any type. They may be JavaScript's worst, a getter that throws or a revoked proxy:
 * that too is a caller's mistake and not a crash.
 */
export const readArguments = <T>(
  path: string,
  read: (issues: IssueList) => T,
  issues: IssueList,
): { readonly value: T } | InvalidInput => {
  try {
    const value = read(issues);
    if (issues.found.length === 0) return { value };
  } catch {
    // What is known to be wrong is told alone: it may well be why the rest could not be read.
    issues.check(issues.found.length > 0, path, 'could not be read: it throws when it is looked at');
  }
  return invalidInput(issues.found);
};
