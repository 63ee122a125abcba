import type { SessionStatus } from '../session/session-status.js';

/** What the list can be filtered by: a status, or nothing. */
export type StatusFilter = SessionStatus | '';

/** The number of sessions for each filter, as far as it is known. */
export interface SessionCounts {
  readonly counts: readonly { readonly status: StatusFilter; readonly total: number }[];
  /** Why no sessions can be listed by status. */
  readonly notice?: string;
}
