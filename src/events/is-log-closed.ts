import { callHost } from '../session/call-host.js';
import type { EventLog } from '../store/session-store.js';

/**
 * Whether the client of the log was closed, so that no retry can succeed. A store that breaks its
 * contract is not.
 */
export const isLogClosed = (log: EventLog | undefined): boolean =>
  callHost(() => log?.isClosed?.()) === true;
