import type { SessionStatus } from '../session/session-status.js';

/** The filter of the list: a status, or empty for all sessions. */
export type StatusFilter = SessionStatus | '';

/** The number of sessions for each filter, as far as it is known. */
export interface SessionCounts {
  readonly counts: readonly { readonly status: StatusFilter; readonly total: number }[];
  /** Why no sessions can be listed by status. */
  readonly notice?: string;
}
