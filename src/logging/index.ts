import { readArgument } from '../schema/options-of.js';
import { type Logger, log, logFailure, loggerSchema } from '../service/logger.js';
import { ofAllTenants } from '../service/operation-results.js';
import type { SessionObserver } from '../service/session-observer.js';
import type { OperationError } from '../session/errors.js';

export type { Logger } from '../service/logger.js';

/** Errors that are not the caller's. */
const isFault = ({ type }: OperationError): boolean =>
  type === 'store_unavailable' || type === 'corrupt_record' || type === 'misconfigured';

/**
 * An observer that logs operations that fail with `store_unavailable`, `corrupt_record` or
 * `misconfigured` (`error`), sessions that a page or a claim leaves out because they cannot be read
 * (`warn`), and each session that the clock ended (`info`, from sweeps). Logs no content of
 * sessions and no keys. Throws a `TypeError` if `logger` is not a logger.
 */
export const logging = (logger: Logger): SessionObserver => {
  readArgument('logging', 'logger', loggerSchema, logger);
  return {
    async run({ name: operation, tenant, id }, call) {
      // After the other observers: the operation runs in their context.
      await Promise.resolve();
      const result = await call();
      const about = {
        operation,
        ...(!ofAllTenants.has(operation) && { tenant }),
        ...(typeof id === 'string' && { session: id }),
      };
      if (result.isErr()) {
        if (isFault(result.error)) logFailure(logger, result.error, about);
        return;
      }
      const observed = result.value;
      if (typeof observed.value === 'object' && 'unreadable' in observed.value) {
        const { unreadable } = observed.value;
        const what = 'claimed' in observed.value ? 'a claim' : 'a page';
        if (unreadable.length === 0) return;
        log(
          logger,
          'warn',
          { ...about, unreadable },
          `${what} left out sessions that cannot be read`,
        );
      }
      if (observed.operation !== 'sweep') return;
      for (const { id: session, ...ended } of observed.value.ended) {
        log(logger, 'info', { ...ended, session }, 'the clock ended a session');
      }
      for (const error of observed.value.failed) logFailure(logger, error, about);
    },
  };
};
