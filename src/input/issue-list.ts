import { type InputIssue, type InvalidInput, invalidInput } from '../session/errors.js';

/** Maximum number of issues: a hostile input must not produce an error larger than itself. */
export const MAX_ISSUES = 20;

/** Collects the issues of an input, so that one error names all of them. */
export class IssueList {
  readonly found: InputIssue[] = [];
  readonly #most: number;
  #cause: unknown;

  constructor(most = MAX_ISSUES) {
    this.#most = most;
  }

  check(holds: boolean, path: string, rule: string): void {
    if (!holds && this.found.length < this.#most) this.found.push({ path, message: rule });
  }

  /** The first exception behind an issue, which the issue itself does not show. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Adds an issue for an exception, which the caller or the platform may have caused. */
  caught(cause: unknown, path: string, rule = 'cannot be read: it throws'): void {
    this.#cause ??= cause;
    this.check(false, path, rule);
  }
}

/** Parses arguments of any type. Getters that throw and revoked proxies are invalid input too. */
export const parseArguments = <T>(
  path: string,
  parse: (issues: IssueList) => T,
  issues: IssueList,
): { readonly value: T } | InvalidInput => {
  try {
    const value = parse(issues);
    if (issues.found.length === 0) return { value };
  } catch (cause) {
    // If there are issues already, they are probably the cause of the exception.
    if (issues.found.length === 0) issues.caught(cause, path);
  }
  return invalidInput(issues.found, issues.cause);
};
