import { err, ok, type Result } from 'neverthrow';
import {
  type CorruptRecord,
  type InvalidInput,
  invalidInput,
  type NotFound,
  notFound,
  type StoreUnavailable,
} from '../errors.js';
import { readHistoryQuery } from '../input/list-input.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionKey } from '../store.js';
import type { Settings } from './settings.js';

/** Which part of a history to read: the last entries, or those behind a position. */
export type HistoryQuery =
  | {
      /** How many entries from the end, 1 to 1000. Default: 100. */
      readonly last?: number;
      readonly after?: never;
      readonly limit?: never;
    }
  | {
      /** A position that `append` or `history` answered for this session; 0 is the beginning. */
      readonly after: number;
      /** The most entries to read, 1 to 1000. Default: 100. */
      readonly limit?: number;
      readonly last?: never;
    };

/** A part of a history. */
export interface HistoryPart {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Where the part ends: opaque. What comes behind it is read with `{ after: position }`. */
  readonly position: number;
  /** Whether there was more behind `position` at the time of reading; behind the last entries there never is. */
  readonly hasMore: boolean;
}

export type HistoryError = InvalidInput | NotFound | StoreUnavailable | CorruptRecord;

/** Reads a part of a history, and nothing else of the session. */
export const readHistory = async (
  { store, policy: { limits } }: Settings,
  key: SessionKey,
  query: unknown,
): Promise<Result<HistoryPart, HistoryError>> => {
  const slice = readHistoryQuery(query);
  if (slice.isErr()) return err(slice.error);
  const answer = await store.findEntries(key, { ...slice.value, maxBytes: limits.pageBytes });
  if (answer.isErr()) return err(answer.error);
  const found = answer.value;
  if (found.outcome === 'missing') return err(notFound(key.id));
  if (found.outcome === 'astray')
    return err(invalidInput([{ path: 'after', message: 'is no position in this history' }]));
  return ok({ entries: found.entries, position: found.position, hasMore: found.hasMore });
};
