import type { AppendOptions } from '../service/append-history.js';
import type { OperationOptions } from '../service/change-session.js';
import type { UpdateOptions } from '../service/update-session.js';
import type { WatchSignal } from '../session/session-event.js';

/** Options of a call. */
export interface CallOptions {
  /** Ends the call at once, with the error `aborted`. */
  readonly signal?: WatchSignal;
  /** Timeout of this call in milliseconds, from 1. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** Options of `get`. */
export interface RemoteGetOptions extends CallOptions {
  /** Maximum number of the latest history entries, from 0. Default: all. */
  readonly historyLimit?: number;
}

/**
 * Options of a write. Without an `operationId`, the client generates one, so that its retries are
 * safe.
 */
export interface WriteOptions extends CallOptions, OperationOptions {}

/** Options of `update`. */
export interface RemoteUpdateOptions extends CallOptions, UpdateOptions {}

/** Options of `append`. */
export interface RemoteAppendOptions extends CallOptions, AppendOptions {}

/** Options of `watch`. */
export interface RemoteWatchOptions extends Pick<CallOptions, 'signal'> {
  /**
   * The cursor of an item of a watch of this session, to continue after it. Default: begins with a
   * snapshot.
   */
  readonly cursor?: string;
  /**
   * Whole seconds before the end of the session at which `session.expiring` is sent, 1 to 86400.
   * Default: no warning.
   */
  readonly warnBefore?: number;
  /** Maximum number of the latest history entries in a snapshot, from 0. Default: all. */
  readonly historyLimit?: number;
  /** Milliseconds for which a lost connection is retried. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}
