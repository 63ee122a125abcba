import type { SweepFailure } from '../session/errors.js';
import type { Message } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type {
  CreatedSession,
  PositionedEntry,
  Session,
  SessionLease,
  SessionState,
} from '../session/session.js';
import type { EndedSession } from '../session/session-at.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { CallerCommand, EndReason } from '../session/session-status.js';
import type { SessionKey } from '../store/session-store.js';
import type { Released, Reply, Sent, TakenMessages, WithdrawnMessages } from './turn-results.js';

/** The result of `getOrCreate`. */
export interface GetOrCreateResult<out T extends SessionSchemas = SessionSchemas>
  extends Session<T> {
  /** Whether this call has created the session. */
  readonly created: boolean;
}

/** The result of `append` and of `rewind`. */
export interface Appended {
  /**
   * The position at the end of the history after this call: opaque, increasing, never used twice,
   * and the same if the call is repeated.
   */
  readonly position: number;
  /**
   * Present if an earlier call with this operation id has already made the change: this call
   * changed nothing.
   */
  readonly repeated?: true;
}

/** The result of `spend`. */
export interface Spent {
  /**
   * Present if an earlier call with this operation id has already counted the usage: this call
   * changed nothing.
   */
  readonly repeated?: true;
}

/** A part of a history. */
export interface HistoryPart<out T extends SessionSchemas = SessionSchemas> {
  /** Oldest first. */
  readonly entries: readonly PositionedEntry<T>[];
  /**
   * The position before the part: opaque, and 0 at the beginning of the history. `{ before: start
   * }` reads the entries before it.
   */
  readonly start: number;
  /**
   * The position after the part: opaque, and the end of the history if nothing follows. `{ after:
   * position }` reads the entries after it.
   */
  readonly position: number;
  /** Whether there were entries after `position` at the time of reading. */
  readonly hasMore: boolean;
  /** The maximum number of entries that was applied: that of the query, at most 1000. */
  readonly limit: number;
}

/** A page of sessions. */
export interface SessionPage<out T extends SessionSchemas = SessionSchemas> {
  /** The sessions in the order of the list. */
  readonly sessions: readonly Session<T>[];
  /** Number of sessions on all pages: those of the tenant that match the query. */
  readonly total: number;
  /** The maximum number of sessions that was applied: that of the query, at most 100. */
  readonly limit: number;
  /**
   * Pass it as `cursor` to read the next page; absent on the last page. If sessions are created or
   * deleted in between, the next page still neither skips nor repeats a session.
   */
  readonly nextCursor?: string;
  /** Ids of sessions on this page that cannot be read; they are missing from `sessions`. */
  readonly unreadable: readonly string[];
  /**
   * With `withWatchCursor`, if the store has events: pass it as `cursor` to `watchAll` to get every
   * change that is not on the page. Changes from about the time of the read may be delivered
   * although the page contains them.
   */
  readonly watchCursor?: string;
}

/** A session that the caller has claimed. */
export interface ClaimedSession<out T extends SessionSchemas = SessionSchemas> {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The session with the latest entries of its history, by default none. */
  readonly session: Session<T>;
  /** The position before the entries: 0 at the beginning of the history. */
  readonly start: number;
  /** The end of the history: pass it as `ifPosition`, to append only if nothing has followed. */
  readonly position: number;
  /** The number of the turn, the same in all its attempts: a key for payments and deliveries. */
  readonly turn: number;
  /** The messages that the turn answers, those of earlier attempts included, oldest first. */
  readonly messages: readonly Message[];
  /** Present if a `wake` that was due is a reason for the turn. */
  readonly woken?: true;
  /** The lease of the caller. */
  readonly lease: SessionLease;
  /**
   * Number of this claim since the work was last done, from 1: above that, a worker has failed or
   * crashed before.
   */
  readonly attempt: number;
  /**
   * Present if the previous lease expired without a release: its holder may have crashed because of
   * this session. No other session is claimed with it.
   */
  readonly isAlone?: boolean;
  /** Since when the session has waited for this claim: RFC 3339, UTC, milliseconds. */
  readonly waitingSince: string;
}

/** The result of `claim`. */
export interface Claims<out T extends SessionSchemas = SessionSchemas> {
  /** The longest waiting first. */
  readonly claimed: readonly ClaimedSession<T>[];
  /** Ids of sessions that wait for a worker but cannot be read. */
  readonly unreadable: readonly string[];
  /** The maximum number of sessions that was applied: that of the call, at most 100. */
  readonly limit: number;
}

/** The result of `countWaiting`. */
export interface WaitingCount {
  /** Number of sessions that wait for a worker; `limit` if there are more. */
  readonly count: number;
  /** The number up to which sessions are counted: 10000. */
  readonly limit: number;
}

/** A session that has expired, and whose end a sweep has stored. */
export interface SweptSession extends SessionKey {
  /** Why the session ended. */
  readonly endReason: EndReason;
  /** When the session ended, not when a sweep found it: RFC 3339, UTC, milliseconds. */
  readonly endedAt: string;
}

/** The result of one sweep. */
export interface Sweep {
  /** Sessions that have expired and whose end this sweep has stored. */
  readonly ended: readonly SweptSession[];
  /** Sessions whose end was reported: `onEnded` has returned. */
  readonly reported: readonly EndedSession[];
  /** Sessions that were deleted because their retention was over. */
  readonly deleted: readonly SessionKey[];
  /**
   * Errors of sessions that could not be processed. They stay due; damaged ones are retried a
   * minute later.
   */
  readonly failed: readonly SweepFailure[];
  /**
   * Whether another sweep should follow immediately: more was due than `limit`, and this sweep made
   * progress.
   */
  readonly isFull: boolean;
  /** The maximum number of sessions that was applied: that of the call, at most 10000. */
  readonly limit: number;
  /** The `cursor` of the next sweep; absent if this sweep covered the last part of the store. */
  readonly nextCursor?: string;
}

/** The result of each operation. `each` returns one page after another. */
export interface OperationResults<out T extends SessionSchemas = SessionSchemas>
  extends Readonly<Record<CallerCommand, SessionState>> {
  readonly create: CreatedSession<T>;
  readonly getOrCreate: GetOrCreateResult<T>;
  readonly get: Session<T>;
  readonly history: HistoryPart<T>;
  readonly list: SessionPage<T>;
  readonly each: SessionPage<T>;
  readonly extend: SessionState;
  readonly update: SessionState;
  readonly wake: undefined;
  readonly claim: Claims<T>;
  readonly claimAny: Claims<T>;
  readonly countWaiting: WaitingCount;
  readonly countWaitingAny: WaitingCount;
  readonly cancel: undefined;
  readonly spend: Spent;
  readonly append: Appended;
  readonly rewind: Appended;
  readonly lease: SessionLease;
  readonly renew: SessionLease;
  readonly release: Released;
  readonly send: Sent;
  readonly inbox: readonly Message[];
  readonly withdraw: WithdrawnMessages;
  readonly take: TakenMessages;
  readonly reply: Reply;
  readonly answer: Reply;
  /** An attempt of a turn, by a worker or by `reply`. */
  readonly turn: Released;
  readonly redact: undefined;
  readonly delete: undefined;
  readonly sweep: Sweep;
}

/** The operations of a service. */
export type OperationName = keyof OperationResults;

/** The operations that change nothing. */
export const reads: ReadonlySet<OperationName> = new Set([
  'get',
  'history',
  'list',
  'each',
  'countWaiting',
  'countWaitingAny',
  'inbox',
  'answer',
]);

/** The operations on all tenants, whatever the tenant of their service. */
export const ofAllTenants: ReadonlySet<OperationName> = new Set([
  'sweep',
  'claimAny',
  'countWaitingAny',
]);

/**
 * The operations that a transaction of the caller cannot contain: they wait for others, work for
 * longer than it, or hand out what its rollback would take back.
 */
export const outsideTransactions: ReadonlySet<string> = new Set<keyof OperationErrors>([
  'answer',
  'reply',
  'lease',
  'renew',
  'withLease',
  'release',
  'take',
  'claim',
  'claimAny',
  'sweep',
  'watch',
  'watchAll',
]);

/** The result of an operation with its name: `operation` determines the type of `value`. */
export type OperationResult<N extends OperationName = OperationName> = {
  readonly [K in N]: { readonly operation: K; readonly value: OperationResults[K] };
}[N];

/** Adds the name of its operation to a result. */
export function operationResult<N extends OperationName>(
  operation: N,
  value: OperationResults[N],
): OperationResult;
export function operationResult<N extends OperationName>(operation: N, value: OperationResults[N]) {
  return { operation, value };
}
