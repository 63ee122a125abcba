import type { AppendOptions } from '../service/append-history.js';
import type { OperationOptions } from '../service/apply-command.js';
import type { SendOptions } from '../service/send-message.js';
import type { UpdateOptions } from '../service/update-session.js';
import type { AnswerOptions } from '../service/wait-for-answer.js';
import type { WatchSignal } from '../session/session-event.js';

/**
 * Options of a call; for `each`, of each page.
 *
 * @example
 * ```ts
 * const stop = new AbortController(); // for example when the user leaves the page
 * const found = client.list({ limit: 20 }, { signal: stop.signal, timeoutMs: 2000 });
 * stop.abort();
 * const listed = await found;
 * console.log(listed.isErr() && listed.error.type); // aborted
 * ```
 */
export interface CallOptions {
  /** Ends the call immediately, with the error `aborted`. */
  readonly signal?: WatchSignal | undefined;
  /** Timeout of this call in milliseconds, 1 to 2147483647. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Options of `get`.
 *
 * @example
 * ```ts
 * const { history } = await client.orThrow.get(id, { historyLimit: 1 });
 * console.log(history.length); // 1
 * ```
 */
export interface RemoteGetOptions extends CallOptions {
  /** Maximum number of the latest history entries, from 0. Default: all. */
  readonly historyLimit?: number | undefined;
}

/**
 * Options of a write. Without an `operationId`, the client generates one, so that its retries are
 * safe.
 *
 * @example
 * ```ts
 * const { fencingToken } = await client.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * await client.orThrow.pause(id, { operationId: 'hold-1', fencingToken });
 * const { repeated } = await client.orThrow.pause(id, { operationId: 'hold-1', fencingToken });
 * console.log(repeated); // true
 * ```
 */
export interface WriteOptions extends CallOptions, OperationOptions {}

/**
 * Options of `update`.
 *
 * @example
 * ```ts
 * const { revision = 0 } = await client.orThrow.get(id);
 * await client.orThrow.update(id, { metadata: { rating: 4 } });
 * const late = await client.update(id, { metadata: { rating: 5 } }, { ifRevision: revision });
 * console.log(late.isErr() && late.error.type); // conflict
 * ```
 */
export interface RemoteUpdateOptions extends CallOptions, UpdateOptions {}

/**
 * Options of `append`.
 *
 * @example
 * ```ts
 * const { position } = await client.orThrow.history(id);
 * const turn = [{ role: 'user', content: 'And a tunnel.' }];
 * const appended = await client.append(id, turn, {
 *   ifPosition: position,
 *   usage: { tokens: 9 },
 * });
 * if (appended.isErr()) console.error(appended.error.type); // for example history_moved
 * ```
 */
export interface RemoteAppendOptions extends CallOptions, AppendOptions {}

/**
 * Options of `send`.
 *
 * @example
 * ```ts
 * const create = { face: 'ada', profile: 'tutor' };
 * const { state } = await client.orThrow.send('chat-u-1', 'And a tunnel.', { create });
 * console.log(state); // waiting
 * ```
 */
export interface RemoteSendOptions extends CallOptions, SendOptions {}

/** Options of `answer`. `timeoutMs` limits the wait for the answer, not a single request. */
export interface RemoteAnswerOptions extends AnswerOptions {}

/**
 * Options of `watch`.
 *
 * @example
 * ```ts
 * let cursor = '';
 * for await (const item of client.orThrow.watch(id, { historyLimit: 0, warnBefore: 60 })) {
 *   cursor = item.cursor; // keep it, to continue after this item
 *   break;
 * }
 * await client.orThrow.terminate(id);
 * const rest = client.orThrow.watch(id, { cursor, timeoutMs: 5000, warnAt: 0.8 });
 * for await (const { type } of rest) console.log(type); // session.changed
 * ```
 */
export interface RemoteWatchOptions extends Pick<CallOptions, 'signal'> {
  /**
   * The cursor of an item of a watch of this session, to continue after it. Default: begins with a
   * snapshot.
   */
  readonly cursor?: string | undefined;
  /**
   * Whole seconds before the end of the session at which `session.expiring` is sent, 1 to 86400.
   * Default: no warning.
   */
  readonly warnBefore?: number | undefined;
  /** As in `WatchOptions`. */
  readonly warnAt?: number | undefined;
  /** Maximum number of the latest history entries in a snapshot, from 0. Default: all. */
  readonly historyLimit?: number | undefined;
  /**
   * Milliseconds for which a lost connection is retried, 1 to 2147483647. Default: the client's
   * `timeoutMs`.
   */
  readonly timeoutMs?: number | undefined;
}
