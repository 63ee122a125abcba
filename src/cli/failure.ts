/** Why a command ends early: one line for a person, without keys and passwords. */
export class Failure extends Error {
  readonly exitCode: 1 | 2 = 1;
}

/** The command was called wrongly. */
export class Misuse extends Failure {
  override readonly exitCode = 2;
}

/** The message of whatever was thrown, on one line. `fetch` keeps the reason in `cause`. */
export const textOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined || cause instanceof Failure
    ? cause.message.replace(/\s+/g, ' ').trim()
    : textOf(cause.cause);
};
