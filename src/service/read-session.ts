import { err, type Result } from 'neverthrow';
import { parseGetOptions, parseHistoryQuery } from '../input/list-query.js';
import { invalidField, notFound, pageTooLarge } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { Answer, ReadSize, SessionKey } from '../store/session-store.js';
import { NOT_IN_HISTORY } from './change-history.js';
import { checkRead } from './check-reads.js';
import type { HistoryPart } from './operation-results.js';
import type { Settings } from './settings.js';

/**
 * Options of reads.
 *
 * @example
 * ```ts
 * const found = await sessions.get(id, { maxBytes: 10 });
 * console.log(found.isErr() && found.error.type); // page_too_large
 * ```
 */
export interface ReadOptions {
  /**
   * Maximum size of the answer in approximate bytes of JSON; a larger answer fails with
   * `page_too_large`, and no session is read. It lets a host limit the memory of pending answers.
   * Default: only pages of several sessions have a maximum, `limits.pageBytes`, which applies in any
   * case.
   */
  readonly maxBytes?: number | undefined;
}

/**
 * Options of `get`.
 *
 * @example
 * ```ts
 * const { history, historyCount } = await sessions.orThrow.get(id, { historyLimit: 1 });
 * console.log(history.length, historyCount); // 1 2
 * ```
 */
export interface GetOptions extends ReadOptions {
  /**
   * Maximum number of the latest history entries, from 0; `historyCount` is the number of all.
   * Default: all.
   */
  readonly historyLimit?: number | undefined;
}

export const getSession = async (
  { store, tenant, now, policy }: Settings,
  id: string,
  size: ReadSize,
): Promise<Result<Session, OperationErrors['get']>> => {
  const found = await store.find({ tenant, id }, size);
  if (found.isErr()) {
    if (found.error.type !== 'too_large') return err(found.error);
    return err(pageTooLarge(found.error.bytes, size.maxBytes ?? 0));
  }
  const time = now();
  if (time.isErr()) return err(time.error);
  if (found.value === undefined) return err(notFound(id));
  return checkRead(policy, id, sessionAt(found.value, time.value));
};

export const readSession = (
  settings: Settings,
  { id }: SessionKey,
  options: unknown,
): Answer<Session, OperationErrors['get']> => {
  const size = parseGetOptions(options);
  if (size.isErr()) return err(size.error);
  return getSession(settings, id, size.value);
};

/**
 * The part of a history to read: the last entries, those after a position, or those before one.
 *
 * @example
 * ```ts
 * const latest = await sessions.orThrow.history(id, { last: 1 });
 * console.log(latest.entries[0]?.content); // Bridges, mostly.
 * const before = await sessions.orThrow.history(id, { before: latest.start, limit: 50 });
 * console.log(before.entries[0]?.content); // What do you build?
 * const after = await sessions.orThrow.history(id, { after: latest.position });
 * console.log(after.entries.length); // 0
 * ```
 */
export type HistoryQuery =
  | {
      /**
       * Maximum number of the latest entries, from 1; above 1000 it counts as 1000. Default: 100.
       */
      readonly last?: number | undefined;
      readonly after?: undefined;
      readonly before?: undefined;
      readonly limit?: undefined;
    }
  | {
      /** A position that `append` or `history` returned for this session; 0 for the beginning. */
      readonly after: number;
      /** Maximum number of entries, from 1; above 1000 it counts as 1000. Default: 100. */
      readonly limit?: number | undefined;
      readonly before?: undefined;
      readonly last?: undefined;
    }
  | {
      /**
       * A position that `append` or `history` returned for this session, for example the `start` of
       * a part.
       */
      readonly before: number;
      /** With `before`, the entries are the latest before the position. */
      readonly limit?: number | undefined;
      readonly after?: undefined;
      readonly last?: undefined;
    };

export const readHistory = async (
  { store, policy }: Settings,
  key: SessionKey,
  query: unknown,
): Promise<Result<HistoryPart, OperationErrors['history']>> => {
  const slice = parseHistoryQuery(query);
  if (slice.isErr()) return err(slice.error);
  const answer = await store.entries(key, { ...slice.value, maxBytes: policy.limits.pageBytes });
  if (answer.isErr()) return err(answer.error);
  const found = answer.value;
  if (found.outcome === 'missing') return err(notFound(key.id));
  if (found.outcome === 'invalid_position') {
    const path = slice.value.after === undefined ? 'before' : 'after';
    return err(invalidField(path, NOT_IN_HISTORY));
  }
  const { entries, start, position, hasMore } = found;
  const { limit } = slice.value;
  return checkRead(policy, key.id, { entries, start, position, hasMore, limit });
};
