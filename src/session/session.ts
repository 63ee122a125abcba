import type { EndReason, SessionStatus } from '../status.js';

/** How a session is configured; it never changes after creation. */
export interface SessionOptions {
  /** Name of the face, 1 to 256 characters. */
  readonly face: string;
  /** Name of the profile, 1 to 256 characters. */
  readonly profile: string;
  /** What role the session takes; at most 64 KiB of UTF-8 unless the host says otherwise. */
  readonly behavior: string;
  /** Background facts; at most 64 KiB of UTF-8 unless the host says otherwise. */
  readonly context: string;
  /** Seconds that the session may spend ACTIVE, across pauses; 0 means without limit. */
  readonly timeLimit: number;
}

/** One message of a session's history. */
export interface HistoryEntry {
  /** Who said it, 1 to 64 characters; usually `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
  /** When it was said: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
}

interface Progress {
  readonly id: string;
  /** Whole seconds spent ACTIVE so far, rounded down. */
  readonly duration: number;
}

/** Where a session stands: its status, the reason why it ended if it has, and the seconds spent. */
export type SessionState =
  | (Progress & { readonly status: Exclude<SessionStatus, 'TERMINATED'> })
  | (Progress & { readonly status: 'TERMINATED'; readonly endReason: EndReason });

/** A session as it was at the moment of reading. It is the reader's own: changing it changes nothing in the store. */
export type Session = SessionState & {
  readonly options: SessionOptions;
  /** Oldest first; with `historyLimit` only the latest entries. */
  readonly history: readonly HistoryEntry[];
  /** How many entries the whole history has. */
  readonly historyCount: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
};
