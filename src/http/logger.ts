import { type Schema, typed } from '../schema/schema.js';
import { tellHost } from '../session/call-host.js';
import { hasMethods } from '../session/fields.js';
import { isError } from '../session/native-kinds.js';

/** The host's logger, for example pino, bunyan or `console`. */
export interface Logger {
  /** Logs information for the host. */
  info(fields: object, message: string): void;
  /** Logs warnings. */
  warn(fields: object, message: string): void;
  /** Logs a failure. */
  error(fields: object, message: string): void;
}

const isLogger = (value: unknown): value is Logger => hasMethods(value, 'info', 'warn', 'error');

export const loggerSchema: Schema<Logger | undefined> = typed(
  isLogger,
  'must have the methods info, warn, error',
  undefined,
);

export const log = (logger: Logger, level: keyof Logger, fields: object, message: string): void => {
  tellHost(() => logger[level](fields, message));
};

/**
 * The text of a cause without its properties, because errors of ioredis contain the failed command
 * with all its arguments.
 */
const textOf = (cause: unknown): string => {
  if (isError(cause)) return cause.stack ?? cause.message;
  return String(cause);
};

export const logFailure = (
  logger: Logger,
  {
    message,
    cause,
    ...error
  }: { readonly type: string; readonly message?: string; readonly cause?: unknown },
  about: object = {},
): void => {
  const fields = { ...about, error, ...(cause !== undefined && { cause: textOf(cause) }) };
  log(logger, 'error', fields, message ?? error.type);
};
