import type { SessionStatus } from '../session/session-status.js';

export type StatusFilter = SessionStatus | '';

export interface SessionCounts {
  readonly counts: readonly { readonly status: StatusFilter; readonly total: number }[];
  /** Why no sessions can be listed by status. */
  readonly notice?: string;
}
