import { type InputIssue, type InvalidInput, invalidInput } from '../session/errors.js';

/** Maximum number of issues: a hostile input must not produce an error larger than itself. */
export const MAX_ISSUES = 20;

const THROWS = 'cannot be read: it throws';

/** A `Schema`, as far as it is needed to read a value. */
interface Readable<T> {
  readonly read: (issues: IssueList, path: string, value: unknown) => T;
  readonly fields?: unknown;
}

/** Collects the issues of an input, so that one error names all of them. */
export class IssueList {
  readonly found: InputIssue[] = [];
  readonly #most: number;
  #root = 'input';
  #cause: unknown;

  constructor(most = MAX_ISSUES) {
    this.#most = most;
  }

  /** Reads an argument. The fields of an object have no prefix: `root` names it as a whole. */
  read<T>(root: string, of: Readable<T>, value: unknown): T {
    this.#root = root;
    return of.read(this, of.fields === undefined ? root : '', value);
  }

  check(holds: boolean, path: string, rule: string): void {
    if (holds || this.isFull) return;
    this.found.push({ path: path || this.#root, message: rule });
  }

  get isFull(): boolean {
    return this.found.length >= this.#most;
  }

  /** The first exception behind an issue, which the issue itself does not show. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Adds an issue for an exception, which the caller or the platform may have caused. */
  caught(cause: unknown, path: string, rule = THROWS): void {
    this.#cause ??= cause;
    this.check(false, path, rule);
  }

  /** The same for the input as a whole, if nothing else is known to be wrong with it. */
  interrupted(cause: unknown): void {
    this.#cause ??= cause;
    this.check(this.found.length > 0, '', THROWS);
  }
}

/** Reads arguments of any type. Getters that throw and revoked proxies are invalid input too. */
export const readArguments = <T>(
  issues: IssueList,
  read: (issues: IssueList) => T,
): { readonly value: T } | InvalidInput => {
  try {
    const value = read(issues);
    if (issues.found.length === 0) return { value };
  } catch (cause) {
    // If there are issues already, they are probably the cause of the exception.
    issues.interrupted(cause);
  }
  return invalidInput(issues.found, issues.cause);
};
