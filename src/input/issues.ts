import { err, ok, type Result } from 'neverthrow';
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

  /** `value` if nothing was wrong. */
  result<T>(value: T): Result<T, InvalidInput> {
    return this.#issues.length === 0 ? ok(value) : err(invalidInput(this.#issues));
  }
}

/**
 * Reads arguments of a caller in any type. They may be JavaScript's worst, a getter that throws or a revoked proxy:
 * that too is a caller's mistake and not a crash.
 */
export const readSafely = <T>(
  path: string,
  read: (issues: IssueList) => T,
  issues = new IssueList(),
): Result<T, InvalidInput> => {
  try {
    return issues.result(read(issues));
  } catch {
    return err(invalidInput([{ path, message: 'could not be read: it throws when it is looked at' }]));
  }
};
