/** Where a host reads what callers are not told. Loggers of pino and bunyan fit as they are, and so does `console`. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const levels = ['info', 'warn', 'error'] as const satisfies readonly (keyof Logger)[];

export const loggerRule = `must have the methods ${levels.join(', ')}`;

export const isLogger = (value: unknown): value is Logger =>
  typeof value === 'object' &&
  value !== null &&
  levels.every((level) => typeof Reflect.get(value, level) === 'function');

/** Tells a host's logger: what that does wrong, at once or later, is no harm. */
export const log = (logger: Logger, level: keyof Logger, fields: object, message: string): void => {
  (async () => logger[level](fields, message))().catch(() => {});
};

/** An error as far as it is logged. */
interface Failure {
  readonly type: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/** Of a cause the text alone: clients hang the command that has failed on their errors, with all its arguments. */
const textOf = (cause: unknown): string => String(cause instanceof Error ? (cause.stack ?? cause.message) : cause);

export const logFailure = (logger: Logger, { message, cause, ...error }: Failure, about: object = {}): void =>
  log(
    logger,
    'error',
    { ...about, error, ...(cause === undefined ? {} : { cause: textOf(cause) }) },
    message ?? error.type,
  );
