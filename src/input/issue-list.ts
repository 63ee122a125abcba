import { type InputIssue, type InvalidInput, invalidInput } from '../errors.js';

/** The default bound on issues: a hostile input must not make a report larger than itself. */
const MOST_ISSUES = 20;

/** Collects what is wrong with one input while it is read, so that a caller learns all of it at once. */
export class IssueList {
  readonly #issues: InputIssue[] = [];
  readonly #most: number;

  constructor(most = MOST_ISSUES) {
    this.#most = most;
  }

  check(holds: boolean, path: string, rule: string): void {
    if (!holds && this.#issues.length < this.#most) this.#issues.push({ path, message: rule });
  }

  get found(): readonly InputIssue[] {
    return this.#issues;
  }
}

type Reading<T> = { readonly value: T } | { readonly broken: InvalidInput };

/**
 * Reads arguments of a caller in any type. They may be JavaScript's worst, a getter that throws or a revoked proxy:
 * that too is a caller's mistake and not a crash.
 */
export const readArguments = <T>(path: string, read: (issues: IssueList) => T, issues: IssueList): Reading<T> => {
  try {
    const value = read(issues);
    return issues.found.length === 0 ? { value } : { broken: invalidInput(issues.found) };
  } catch {
    // What is known to be wrong is told alone: it may well be why the rest could not be read.
    issues.check(issues.found.length > 0, path, 'could not be read: it throws when it is looked at');
    return { broken: invalidInput(issues.found) };
  }
};
