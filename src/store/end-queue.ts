import type { Result } from 'neverthrow';
import type { EndedRecord } from '../session/ended-session.js';
import type { StoreError } from '../session/errors.js';
import type { Answer, SessionKey } from '../session/session-key.js';

/** Identifies an end. */
export interface EndKey extends SessionKey {
  /** What the ends of other sessions under the same id do not have: 1 to 64 of the characters `A-Z a-z 0-9 _ -`. */
  readonly endId: string;
}

/** An end that must be reported. */
export interface UnreportedEnd extends EndKey {
  /** Since when it is due, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** What to report, or why it cannot be read. Undefined if there is nothing to report; the caller settles the end. */
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
 * The ends that must be reported, and are not yet. An end of a session with `terms.reportEnds` is added in the step that
 * makes it: by the first `replace` with a TERMINATED state, due at its `since`; or by a `remove` of a session that has not
 * ended, due at the `now` of the removal. It stays until `settle`, also if the session is removed meanwhile: then the queue
 * keeps the state, and no reader sees the session. A session whose end waits here is not in
 * `SessionStore.due`.
 */
export interface EndQueue {
  /**
   * Ends of all tenants that are due at `now`, at most `limit`, shared between the tenants as in `SessionStore.due`. The
   * parts of the store, and their `next` and `after`, are the same as there.
   */
  due(now: number, limit: number, after?: string): Answer<DueEnds, StoreError>;

  /** Moves an end that is due at `dueAt` to another time. `stale`: it was due at another time, or is settled. */
  postpone(end: EndKey & { readonly dueAt: number }, to: number): Answer<'moved' | 'stale', StoreError>;

  /**
   * Takes an end off: it was reported. The session, if it was not removed, is then due at its deadline. `missing`: there is
   * no such end.
   */
  settle(end: EndKey): Answer<'settled' | 'missing', StoreError>;
}
