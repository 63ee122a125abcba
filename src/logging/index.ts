import type { SessionError } from '../errors.js';
import { isLogger, type Logger, log, logFailure, loggerRule } from '../logger.js';
import { isPage, isSweep } from '../observed.js';
import type { SessionObserver } from '../observer.js';

export type { Logger } from '../logger.js';

/** What is nobody's mistake who calls. */
const isFault = ({ type }: SessionError): boolean => type === 'store_unavailable' || type === 'corrupt_record';

/**
 * An observer that tells a logger why operations fail with `store_unavailable` or `corrupt_record`, which records a page
 * has left out, and what sweeps do: `info` for each session that the clock has ended. No text of a session and no key is
 * in it. Throws a `TypeError` for what is no logger.
 */
export const logging = (logger: Logger): SessionObserver => {
  if (!isLogger(logger)) throw new TypeError(`logging: logger ${loggerRule}`);
  return {
    async run({ name: operation, tenant, id }, call) {
      // Later than other observers, whose context is the one to work in.
      await Promise.resolve();
      const result = await call();
      const whose = operation === 'sweep' ? {} : { tenant };
      const about = { operation, ...whose, ...(typeof id === 'string' ? { session: id } : {}) };
      if (result.isErr()) {
        if (isFault(result.error)) logFailure(logger, result.error, about);
        return;
      }
      const { value } = result;
      if (isPage(value) && value.unreadable.length > 0) {
        log(logger, 'warn', { ...about, unreadable: value.unreadable }, 'a page has left out what cannot be read');
      }
      if (!isSweep(value)) return;
      for (const { id: session, ...ended } of value.ended) {
        log(logger, 'info', { ...ended, session }, 'a session has been ended by the clock');
      }
      for (const error of value.failed) logFailure(logger, error, about);
    },
  };
};
