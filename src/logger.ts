import { hasMethods } from './input/values.js';

/** Where a host reads what callers are not told. Loggers of pino and bunyan fit as they are, and so does `console`. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const loggerRule = 'must have the methods info, warn, error';

export const isLogger = (value: unknown): value is Logger => hasMethods(value, 'info', 'warn', 'error');

/** Tells a host's logger: what that does wrong, at once or later, is no harm. */
export const log = (logger: Logger, level: keyof Logger, fields: object, message: string): void => {
  (async () => logger[level](fields, message))().catch(() => {});
};

/** Of a cause the text alone: clients hang the command that has failed on their errors, with all its arguments. */
const textOf = (cause: unknown): string => String(cause instanceof Error ? (cause.stack ?? cause.message) : cause);

export const logFailure = (
  logger: Logger,
  { message, cause, ...error }: { readonly type: string; readonly message?: string; readonly cause?: unknown },
  about: object = {},
): void => {
  const fields = { ...about, error, ...(cause === undefined ? {} : { cause: textOf(cause) }) };
  log(logger, 'error', fields, message ?? error.type);
};
