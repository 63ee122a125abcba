import type { Call, Script } from './connection.js';
import { type Answer, outcomeOf } from './failure.js';
import type { SessionKeys } from './keyspace.js';

/** The due time of a session as an argument of scripts. */
export const dueText = (deadline: number): string => (deadline === Number.POSITIVE_INFINITY ? '' : String(deadline));

/**
 * Runs a script that changes the session, and returns its outcome. Any other reply means that the session cannot be
 * read.
 */
export const write = async <T extends string>(
  call: Call,
  session: SessionKeys,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  outcomes: readonly T[],
): Answer<T> => outcomeOf(session, await call.writeScript(script, session.writes, keys, args), outcomes);
