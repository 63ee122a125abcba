import type { EndReason } from '../../session/session-status.js';
import type { detailOf, rowOf } from '../summary-form.js';

/** A session of a list. */
export type SessionRow = ReturnType<typeof rowOf>;

/** A session without its history. */
export type SessionDetail = ReturnType<typeof detailOf>;

/** One page of a list. */
export interface SessionPage {
  readonly sessions: readonly SessionRow[];
  /** Number of sessions on all pages. */
  readonly total: number;
  /** The cursor of the next page. */
  readonly next: string | undefined;
  /** Number of sessions of this page that cannot be read. */
  readonly unreadable: number;
}

export interface Entry {
  readonly role: string;
  readonly content: string;
  readonly timestamp: string;
  readonly id?: string;
  /** Any JSON value. */
  readonly data?: unknown;
  /** The position after it. */
  readonly position: number;
}

/** A part of a history, and the positions before and after it. */
export interface HistoryPart {
  readonly entries: readonly Entry[];
  readonly start: number;
  readonly position: number;
  readonly has_more: boolean;
}

/** A change of a session, from the event stream. */
export interface Change {
  readonly type: string;
  readonly at: string;
  readonly end_reason?: EndReason;
  readonly holder?: string;
  readonly position?: number;
  /** Of an append: what was after this position is superseded. */
  readonly after?: number;
  /** Of a redaction: the positions of the entries. */
  readonly positions?: readonly number[];
  /** The new time limit of an extension, in seconds; 0 for none. */
  readonly time_limit?: number;
  /** All labels after an update. */
  readonly labels?: Readonly<Record<string, string>>;
}
