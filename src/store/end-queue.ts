import type { Result } from 'neverthrow';
import type { EndedRecord } from '../session/ended-session.js';
import type { StoreError } from '../session/errors.js';
import type { Answer, SessionKey } from '../session/session-key.js';

/** Identifies an end. */
export interface EndKey extends SessionKey {
  /**
   * Distinguishes the ends of sessions that had the same id one after another: 1 to 64 of the characters `A-Z a-z 0-9 _
   * -`.
   */
  readonly endId: string;
}

/** An end in the queue. */
export interface DueEnd extends EndKey {
  /** When it became due, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** An end that must be reported. */
export interface UnreportedEnd extends DueEnd {
  /**
   * The session to report, or why it cannot be read. Undefined if there is nothing to report; the caller then settles
   * the end.
   */
  readonly ended: Result<EndedRecord | undefined, StoreError>;
}

/** The result of `EndQueue.due`. */
export interface DueEnds {
  /** The longest overdue first. */
  readonly ends: readonly UnreportedEnd[];
  /** Errors of entries that could not be read. They stay due. */
  readonly failed: readonly StoreError[];
  /** Whether more ends may be due in this part. */
  readonly hasMore: boolean;
  /** The `after` of the next call; absent if this was the last part. */
  readonly next?: string;
}

/**
 * The ends that must still be reported. The end of a session with `terms.reportEnds` is added in the step that makes
 * it: by the first `replace` with a TERMINATED state, due at its `since`; or by a `remove` of a session that has not
 * ended, due at the `now` of the removal. It stays until `settle`, even if the session is removed before: the queue
 * then keeps the state, and reads no longer find the session. `SessionStore.due` does not return a session whose end
 * waits here.
 */
export interface EndQueue {
  /**
   * Ends of all tenants that are due at `now`, at most `limit`, shared between the tenants as in `SessionStore.due`.
   * The parts of the store, and their `next` and `after`, are the same as there.
   */
  due(now: number, limit: number, after?: string): Answer<DueEnds, StoreError>;

  /** Moves an end that is due at `dueAt` to the time `to`. `stale`: it was not due at `dueAt`, or is settled. */
  postpone(end: DueEnd, to: number): Answer<'moved' | 'stale', StoreError>;

  /**
   * Removes an end that was reported and that is due at `dueAt`. The session, unless it was removed, is then due at its
   * deadline. `stale`: it was not due at `dueAt`, because another caller has postponed it, or is settled.
   */
  settle(end: DueEnd): Answer<'settled' | 'stale', StoreError>;
}
