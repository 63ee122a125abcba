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

/** What has changed since the last event of the stream. */
export interface ChangedEvent {
  readonly session: SessionDetail;
  /** The new entries, oldest first. */
  readonly entries: readonly Entry[];
}
