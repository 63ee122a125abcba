import type { Result, ResultAsync } from 'neverthrow';
import type { WatchOptions } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { EachQuery, ListQuery } from './list-sessions.js';
import type { SharedErrors, SharedResults } from './operation-contract.js';
import type { HistoryPart } from './operation-results.js';
import type { HistoryQuery } from './read-history.js';
import type { GetOptions, ReadOptions } from './read-session.js';

type SharedGetOptions = Omit<GetOptions, keyof ReadOptions>;
type SharedWatchOptions = Omit<WatchOptions, 'leases' | 'onOpen'>;

/** The operations that read and watch sessions. */
export interface ReadOperations<
  E extends SharedErrors,
  out T extends SessionSchemas,
  R extends SharedResults<T>,
> {
  /**
   * Reads a session with its history, or with its latest entries.
   *
   * @example
   * ```ts
   * const found = await sessions.get(id);
   * if (found.isErr()) console.error(found.error.type);
   * else console.log(found.value.status, found.value.history.length); // ACTIVE 2
   * ```
   */
  get(id: string, options?: SharedGetOptions): ResultAsync<R['get'], E['get']>;

  /**
   * Reads a part of a history: the last entries, those after a position, or those before one. The
   * cost depends on the part, not on the length of the history. Fails with `invalid_input` if a
   * position is not in this history.
   *
   * @example
   * ```ts
   * const { entries, start, position } = await sessions.orThrow.history(id, { last: 20 });
   * console.log(entries.at(-1)?.content); // Bridges, mostly.
   * const older = await sessions.orThrow.history(id, { before: start });
   * const newer = await sessions.orThrow.history(id, { after: position });
   * ```
   */
  history(id: string, query?: HistoryQuery): ResultAsync<HistoryPart<T>, E['history']>;

  /**
   * Reads a page of the tenant's sessions with their histories, newest first by default.
   *
   * @example
   * ```ts
   * const query = { labels: { user: 'u-1' }, historyLimit: 1 };
   * const { sessions: found, total } = await sessions.orThrow.list(query);
   * console.log(total, found[0]?.history[0]?.content); // 1 Bridges, mostly.
   * ```
   */
  list(query?: ListQuery): ResultAsync<R['list'], E['list']>;

  /**
   * Iterates over all of the tenant's sessions, page by page with a cursor. A session that exists
   * during the whole iteration is yielded exactly once. A session that cannot be read is yielded as
   * the error `corrupt_record`; any other error is the last item. Never throws.
   *
   * @example
   * ```ts
   * let seconds = 0;
   * for await (const item of sessions.each({ labels: { user: 'u-1' }, historyLimit: 0 })) {
   *   if (item.isOk()) seconds += item.value.duration;
   *   else console.error(item.error.message);
   * }
   * ```
   */
  each(query?: EachQuery): AsyncIterable<Result<R['get'], E['each']>>;

  /**
   * Watches a session: yields a snapshot, then what has changed and the new entries, until the
   * session has ended or is deleted. No entry is missing or repeated; changes that follow each
   * other closely are combined. After a rewind or a redaction, it yields a snapshot again. A lease
   * alone is no change. With the `cursor` of an item, it continues after that item, however old it
   * is. It yields an expiry at the deadline, even if no sweep has stored it. An error is
   * the last item: `misconfigured` if the store has no events, `not_found` if there is no such
   * session, `store_unavailable` if the store's client was closed. The watch ends immediately if
   * the signal is aborted, the loop is left, or a block with `await using` ends. Nothing is read
   * before the first `next`. Never throws.
   *
   * @example
   * ```ts
   * for await (const item of sessions.watch(id)) {
   *   if (item.isErr()) break;
   *   const change = item.value;
   *   if (change.type === 'session.snapshot') console.log(change.session.history.length); // 2
   *   if (change.type === 'session.changed') console.log(change.entries[0]?.content); // Bye!
   *   if (change.type === 'session.changed') break;
   *   await sessions.append(id, [{ role: 'user', content: 'Bye!' }]);
   * }
   * ```
   */
  watch(
    id: string,
    options?: SharedWatchOptions,
  ): AsyncIterable<Result<R['watch'], E['watch']>> & AsyncDisposable;
}
