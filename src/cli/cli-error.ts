import type { Result } from 'neverthrow';

/**
 * An error that ends a command. Its message is one line for the user, without keys and passwords.
 */
export class CliError extends Error {
  readonly exitCode: 1 | 2 = 1;
}

export class UsageError extends CliError {
  override readonly exitCode = 2;
}

/**
 * The message of a thrown value, on one line. `fetch` keeps the reason in `cause`; a name with
 * several addresses, in `errors`.
 */
export const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const [first] = cause instanceof AggregateError ? cause.errors : [];
  const reason: unknown = cause.cause ?? first;
  if (reason !== undefined && !(cause instanceof CliError)) return messageOf(reason);
  return cause.message.replace(/\s+/g, ' ').trim();
};

export const unwrap = <T>(
  storeName: string,
  result: Result<T, { readonly type: string; readonly message: string; readonly cause?: unknown }>,
): T => {
  if (result.isOk()) return result.value;
  const { type, message, cause } = result.error;
  if (type === 'invalid_input') throw new UsageError(message);
  const reason = cause === undefined ? '' : ` (${messageOf(cause)})`;
  throw new CliError(`${storeName}: ${message}${reason}`);
};
