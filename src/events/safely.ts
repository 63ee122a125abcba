import { err, ok, type Result } from 'neverthrow';
import { callHost } from '../session/call-host.js';
import { type StoreError, type StoreUnavailable, storeUnavailable } from '../session/errors.js';
import type { Answer, EventLog } from '../store/session-store.js';

/** Reads from the store. An exception counts as `store_unavailable`, so the read is retried. */
export const safely = async <T, E>(
  read: () => Answer<T, E>,
): Promise<Result<T, E | StoreUnavailable>> => {
  try {
    return await read();
  } catch (cause) {
    return err(storeUnavailable('the store threw an exception', 'not_applied', cause));
  }
};

export const openLog = (log: EventLog): Promise<Result<void, StoreError>> =>
  safely(() => log.open?.() ?? ok());

/**
 * Whether the client of the log was closed, so that no retry can succeed. A store that breaks its
 * contract does not count as closed.
 */
export const isLogClosed = (log: EventLog | undefined): boolean =>
  callHost(() => log?.isClosed?.()) === true;
