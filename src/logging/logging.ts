import type { SessionError } from '../errors.js';
import { isLogger, type Logger, log, logFailure, loggerRule } from '../logger.js';
import { isPage, isSweep } from '../observed.js';
import type { ObservedOperation, SessionObserver } from '../observer.js';

/** What is nobody's mistake who calls. */
const isFault = ({ type }: SessionError): boolean => type === 'store_unavailable' || type === 'corrupt_record';

const aboutOf = ({ name, tenant, id }: ObservedOperation): object => ({
  operation: name,
  ...(name === 'sweep' ? {} : { tenant }),
  ...(typeof id === 'string' ? { session: id } : {}),
});

/**
 * An observer that tells a logger why operations fail with `store_unavailable` or `corrupt_record`, which records a page
 * has left out, and what sweeps do: `info` for each session that the clock has ended. No text of a session and no key is
 * in it. Throws a `TypeError` for what is no logger.
 */
export const logging = (logger: Logger): SessionObserver => {
  if (!isLogger(logger)) throw new TypeError(`logging: logger ${loggerRule}`);
  return {
    async run(operation, call) {
      // Later than other observers, whose context is the one to work in.
      await Promise.resolve();
      const result = await call();
      const about = aboutOf(operation);
      if (result.isErr()) {
        if (isFault(result.error)) logFailure(logger, result.error, about);
        return;
      }
      const { value } = result;
      if (isPage(value) && value.unreadable.length > 0) {
        log(logger, 'warn', { ...about, unreadable: value.unreadable }, 'a page has left out what cannot be read');
      }
      if (!isSweep(value)) return;
      for (const { id, ...ended } of value.ended) {
        log(logger, 'info', { ...ended, session: id }, 'a session has been ended by the clock');
      }
      for (const error of value.failed) logFailure(logger, error, about);
    },
  };
};
