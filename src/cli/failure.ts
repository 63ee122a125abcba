/** Why a command ends before its work is done: one plain line for a person. Never holds a key or a password. */
export interface Failure {
  readonly message: string;
  /** 2 where the command was called wrongly, 1 for all else. */
  readonly exitCode: 1 | 2;
}

export const failure = (message: string): Failure => ({ message, exitCode: 1 });

export const misuse = (message: string): Failure => ({ message, exitCode: 2 });

/** The code of an error of Node's, such as `ECONNREFUSED`; empty for what has none. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';

/** The message of whatever was thrown, on one line. */
export const textOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message || codeOf(cause) : String(cause)).replace(/\s+/g, ' ').trim();
