import type { EndReason, SessionStatus } from '../../session/session-status.js';

/** A session of a list, as the inspector's routes return it. */
export interface SessionRow {
  readonly id: string;
  readonly status: SessionStatus;
  readonly end_reason?: EndReason;
  readonly options: { readonly face: string; readonly profile: string; readonly time_limit: number };
  readonly created_at: string;
  readonly duration: number;
}

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

/** A session without its history. */
export interface SessionDetail extends SessionRow {
  readonly options: SessionRow['options'] & { readonly behavior: string; readonly context: string };
  readonly labels: Readonly<Record<string, string>>;
  /** Number of entries in the history. */
  readonly entries: number;
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
