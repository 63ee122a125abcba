import type { JsonObject } from './json.js';
import type { DataOf, MetadataOf, SessionSchemas } from './session-schemas.js';
import type { EndReason, SessionStatus } from './session-status.js';

export type { JsonObject, JsonValue } from './json.js';

/** The configuration of a session. Only `extend` changes it: the time limit. */
export interface SessionOptions {
  /** Name of the face, 1 to 256 characters. */
  readonly face: string;
  /** Name of the profile, 1 to 256 characters. */
  readonly profile: string;
  /** Instructions for the role; at most 64 KiB of UTF-8 by default (`limits.textBytes`). */
  readonly behavior: string;
  /** Background facts; at most 64 KiB of UTF-8 by default (`limits.textBytes`). */
  readonly context: string;
  /** Maximum seconds ACTIVE, not counting pauses; 0 for no limit. */
  readonly timeLimit: number;
}

/**
 * Names and values by which lists find sessions, for example `{ user: 'u-1' }`. At most 8; a name
 * has 1 to 64 of the characters `A-Z a-z 0-9 _ . -`, a value 1 to 256 characters. `update` changes
 * them.
 */
export type SessionLabels = Readonly<Record<string, string>>;

/**
 * Whole numbers from 0 to 2^53 - 1 by counter, for example `{ tokens: 900 }`. At most 8; a name has
 * 1 to 64 of the characters `A-Z a-z 0-9 _ . -`.
 */
export type Counters = Readonly<Record<string, number>>;

/** Labels to change: a name and its new value, or `null` to remove it. The other labels stay. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/**
 * Metadata to change: a name and its new value, which replaces the old one as a whole, or `null` to
 * remove it.
 */
export type MetadataChanges = JsonObject;

/** One message of a session's history. */
export interface HistoryEntry<out T extends SessionSchemas = SessionSchemas> {
  /** The speaker, 1 to 64 characters; usually `user` or `assistant`. */
  readonly role: string;
  /** The text of the entry. */
  readonly content: string;
  /** Time of the message: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  /** The id that the caller gave the entry, 1 to 256 characters. */
  readonly id?: string;
  /** Data of the entry besides its text, for example tool calls, token counts or a latency. */
  readonly data?: DataOf<T>;
  /**
   * Present if a turn wrote the entry or took it from the inbox: the number of the turn, the same
   * in all its attempts.
   */
  readonly turn?: number;
  /** Present if the entry came through the inbox of the session (`send`). */
  readonly message?: true;
}

/** An entry that waits in an inbox, or has waited there. */
export interface MessageEntry extends HistoryEntry {
  /** Its id, 1 to 256 characters: of no other message of the session, ever. */
  readonly id: string;
  readonly message: true;
}

/** An entry with its position. */
export interface PositionedEntry<out T extends SessionSchemas = SessionSchemas>
  extends HistoryEntry<T> {
  /** The position after the entry: opaque, and never that of another entry of the session. */
  readonly position: number;
}

/** Where a fork comes from: the original session, and the part of its history that was copied. */
export interface SessionOrigin {
  /** The id of the session. */
  readonly id: string;
  /** The position in its history where the copy ends. */
  readonly position: number;
}

/** The result of a command: the status, the end reason after the end, and the times. */
export interface SessionState {
  /** The id of the session. */
  readonly id: string;
  /** The status of the session. */
  readonly status: SessionStatus;
  /** Why the session ended; present exactly if it is TERMINATED. */
  readonly endReason?: EndReason;
  /** Seconds spent ACTIVE so far, rounded down. */
  readonly duration: number;
  /** Milliseconds spent ACTIVE so far. */
  readonly durationMs: number;
  /** The sums of its counters so far. Absent for a session without any. */
  readonly usage?: Counters;
  /**
   * An opaque number that any write may change, except an append without usage and a redaction.
   * With it as `ifRevision`, `update` applies only to what you have read.
   */
  readonly revision: number;
  /**
   * When the session was started first; absent before. RFC 3339, UTC, milliseconds, like every time
   * of a session.
   */
  readonly startedAt?: string;
  /**
   * When the session expires unless a command comes before: at its time limit or the inactivity
   * timeout while ACTIVE, at the idle timeout while IDLE or PAUSED. Absent if it does not expire,
   * and after the end. A budget may end it before.
   */
  readonly endsAt?: string;
  /** When the session ended; absent before. */
  readonly endedAt?: string;
  /**
   * Present if an earlier call with this operation id has already run the command: this call
   * changed nothing.
   */
  readonly repeated?: true;
}

/** A lease on a session. */
export interface SessionLease {
  /** The name of the holder. */
  readonly holder: string;
  /** Number of the lease: higher than that of every earlier lease on the session. */
  readonly fencingToken: number;
  /** End of the lease, exclusive: RFC 3339, UTC, milliseconds. */
  readonly until: string;
}

/**
 * The work on a session. `waiting`: for a worker, now or from `nextAt` on. `running`: a turn has
 * the session. `retrying`: an attempt has failed or its worker has crashed, and the next one is due
 * at `nextAt`. `exhausted`: all attempts have failed, until a message or a wake.
 */
export interface SessionWork {
  /** Computed from the lease and the time: never `running` after the lease. */
  readonly state: 'waiting' | 'running' | 'retrying' | 'exhausted';
  /** Since when: RFC 3339, UTC, milliseconds. Of a wake for later: its time. */
  readonly since: string;
  /** Number of the attempt that runs or was the last, from 1; 0 before the first. */
  readonly attempt: number;
  /** When a worker may claim the session, if that is in the future. */
  readonly nextAt?: string;
  /** Why the latest attempt has failed, at most 500 characters. */
  readonly error?: string;
}

/**
 * A lease that was taken: `await using` releases it at the end of the block. If that fails, or the
 * lease is over, it is no error, because a lease also ends by itself.
 */
export interface TakenLease extends SessionLease, AsyncDisposable {}

/**
 * A session at the time of reading. It belongs to the caller: changing it changes nothing in the
 * store.
 */
export interface Session<out T extends SessionSchemas = SessionSchemas>
  extends Omit<SessionState, 'repeated'> {
  /** The options that the session was created with, and its current time limit. */
  readonly options: SessionOptions;
  /** Oldest first; with `historyLimit` only the latest entries. */
  readonly history: readonly HistoryEntry<T>[];
  /** Number of entries in the whole history. */
  readonly historyCount: number;
  /** Empty if the session has none. */
  readonly labels: SessionLabels;
  /** Data of the host, which `create` sets and `update` changes. Empty if the session has none. */
  readonly metadata: MetadataOf<T>;
  /** The sums of its counters that end it; see `extend`. Absent if none does. */
  readonly budget?: Counters;
  /** The current lease; absent if nobody holds the session. */
  readonly lease?: SessionLease;
  /** Absent if there is none: nothing waits, runs or has failed. */
  readonly work?: SessionWork;
  /** Number of messages that wait in the inbox. */
  readonly inbox: number;
  /** Present if the session is a fork. The original session may have been deleted since. */
  readonly origin?: SessionOrigin;
  /** When the session was created. */
  readonly createdAt: string;
  /**
   * When the session was last active: its last append or command, or its end. Updates and leases do
   * not count.
   */
  readonly updatedAt: string;
}

/** The result of `create`. */
export interface CreatedSession<out T extends SessionSchemas = SessionSchemas> extends Session<T> {
  /**
   * Present if an earlier call with this idempotency key created the session: this call changed
   * nothing.
   */
  readonly repeated?: true;
}
