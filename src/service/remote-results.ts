import type { Session } from '../session/session.js';
import type {
  SessionChanged,
  SessionDeleted,
  SessionExpiring,
  SessionSnapshot,
} from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { EndReason } from '../session/session-status.js';
import type { ClaimedSession, Claims, SessionPage } from './operation-results.js';

/** The six fields of the interface. */
export type WireFields<T extends SessionSchemas = SessionSchemas> = Pick<
  Session<T>,
  'id' | 'status' | 'options' | 'history' | 'createdAt' | 'duration'
>;

/** What a host may show beyond the six fields. */
type Shown<T extends SessionSchemas> = Pick<
  Session<T>,
  | 'labels'
  | 'metadata'
  | 'revision'
  | 'origin'
  | 'durationMs'
  | 'startedAt'
  | 'endsAt'
  | 'endedAt'
  | 'updatedAt'
  | 'usage'
  | 'budget'
  | 'inbox'
  | 'work'
>;

/**
 * A session on the wire: six fields, without the reason of its end. `terminate` and `fail` return
 * the reason, also for a session that has already ended. `labels`, `metadata` with the `revision`,
 * `origin`, the `inbox` with the `work`, the `usage` with the `budget`, and the times are there if
 * the host shows them, with its options `labels`, `metadata`, `origin`, `work`, `usage` and
 * `sessionTimes`. Every `Session` of the library is a `RemoteSession`.
 */
export interface RemoteSession<out T extends SessionSchemas = SessionSchemas>
  extends WireFields<T>,
    Partial<Shown<T>> {}

/** A session without its history, with the reason of its end. */
export interface RemoteSummary<out T extends SessionSchemas = SessionSchemas>
  extends Omit<RemoteSession<T>, 'history'> {
  /** Why the session has ended; absent before the end. */
  readonly endReason?: EndReason;
}

/**
 * A session that was created by this request, or by an earlier one with the same idempotency key.
 * Only the id is returned.
 */
export interface RemoteCreated {
  /** The id of the session. */
  readonly id: string;
  /**
   * Present if an earlier request with this idempotency key, or an attempt of this call, created
   * the session.
   */
  readonly repeated?: true;
}

/** The result of `getOrCreate` over HTTP. */
export interface RemoteGetOrCreateResult<out T extends SessionSchemas = SessionSchemas>
  extends RemoteSession<T> {
  /** Whether this request has created the session. */
  readonly created: boolean;
}

/** A page of a list, as the client reads it. */
export type RemotePage<T extends SessionSchemas = SessionSchemas> = Omit<
  SessionPage,
  'sessions'
> & {
  /** The sessions in the order of the list. */
  readonly sessions: readonly RemoteSession<T>[];
  /** Ids of sessions on this page whose history was cut by `historyLimit`. */
  readonly truncated: readonly string[];
};

/** A session that was claimed over HTTP. */
export interface RemoteClaimedSession<out T extends SessionSchemas = SessionSchemas>
  extends Omit<ClaimedSession, 'session' | 'tenant'> {
  /** The session with the latest entries of its history, by default none. */
  readonly session: RemoteSession<T>;
}

/** The result of `claim` over HTTP. */
export interface RemoteClaims<out T extends SessionSchemas = SessionSchemas>
  extends Omit<Claims, 'claimed'> {
  /** The longest waiting first. */
  readonly claimed: readonly RemoteClaimedSession<T>[];
}

/**
 * The current session: the first item, and again where the changes cannot be reported as new
 * entries.
 */
export interface RemoteSnapshot<out T extends SessionSchemas = SessionSchemas>
  extends Omit<SessionSnapshot, 'session' | 'sequence'> {
  /** The session with its history, or with its latest entries. */
  readonly session: RemoteSession<T>;
}

/** The session has changed since the last item, once or more often. */
export interface RemoteChanged<out T extends SessionSchemas = SessionSchemas>
  extends Omit<SessionChanged<T>, 'session'> {
  /**
   * The session after the changes, without its history. If it is TERMINATED, this is the last item.
   */
  readonly session: RemoteSummary<T>;
}

/** The session was deleted. The last item. */
export type RemoteDeleted = Omit<SessionDeleted, 'tenant'>;

/** A warning that the session will expire. */
export type RemoteExpiring = Omit<SessionExpiring, 'tenant'>;

/**
 * An item of `watch`: a snapshot, what has changed since, or with `warnBefore` a warning before the
 * end.
 */
export type RemoteChange<T extends SessionSchemas = SessionSchemas> =
  | RemoteSnapshot<T>
  | RemoteChanged<T>
  | RemoteDeleted
  | RemoteExpiring;
