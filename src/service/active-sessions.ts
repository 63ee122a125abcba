import { err, ok, type Result } from 'neverthrow';
import { type Misconfigured, misconfigured } from '../session/errors.js';
import type { Settings } from './settings.js';

export const activeSessionsOf = ({
  tenant,
  policy: {
    limits: { activeSessions },
  },
}: Settings): Result<number | undefined, Misconfigured> => {
  try {
    const limit: unknown =
      typeof activeSessions === 'function' ? activeSessions(tenant) : activeSessions;
    if (typeof limit !== 'number' || !(limit >= 0))
      return err(misconfigured('limits.activeSessions must return a number from 0'));
    return ok(limit < Number.MAX_SAFE_INTEGER ? limit : undefined);
  } catch (cause) {
    return err(misconfigured('limits.activeSessions threw an exception', cause));
  }
};
