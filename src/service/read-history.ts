import { err, type Result } from 'neverthrow';
import { parseHistoryQuery } from '../input/list-query.js';
import { invalidField, notFound } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import { checkRead } from './check-reads.js';
import { NOT_IN_HISTORY } from './commit-append.js';
import type { HistoryPart } from './operation-results.js';
import type { Settings } from './settings.js';

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
