/** Why a command ends early: one line for a person, without keys and passwords. */
export class CliError extends Error {
  readonly exitCode: 1 | 2 = 1;
}

/** The command was called wrongly. */
export class UsageError extends CliError {
  override readonly exitCode = 2;
}

/** The message of whatever was thrown, on one line. `fetch` keeps the reason in `cause`. */
export const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined || cause instanceof CliError
    ? cause.message.replace(/\s+/g, ' ').trim()
    : messageOf(cause.cause);
};
