import { err, ok, type Result } from 'neverthrow';
import type { AppendError, HistoryError } from '../errors.js';
import { historyFull, invalidInput, invalidTransition, notFound } from '../errors.js';
import { readHistoryQuery } from '../input/read-list-query.js';
import { readAppend } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { stateAt } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import type { Appended, HistoryPart } from './operation-results.js';
import { contractBroken } from './perform.js';
import type { Settings } from './settings.js';

export type { Appended, HistoryPart } from './operation-results.js';

/** A history entry to append. */
export interface NewHistoryEntry {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date;
}

export const appendHistory = async (
  { store, now, policy: { limits } }: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, AppendError>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const input = readAppend(entries, options, timestampOf(time.value), limits);
  if (input.isErr()) return err(input.error);
  const answer = await store.append(key, { now: time.value, ...input.value, maxEntries: limits.historyEntries });
  if (answer.isErr()) return err(answer.error);
  const appended = answer.value;
  switch (appended.outcome) {
    case 'appended':
      return ok({ position: appended.position });
    case 'missing':
      return err(notFound(key.id));
    case 'full':
      return err(historyFull(key.id, limits.historyEntries));
    case 'closed':
      return err(invalidTransition(stateAt(appended.state, time.value).status, 'append'));
    default:
      throw contractBroken('append', appended);
  }
};

/** The part of a history to read: the last entries, or those behind a position. */
export type HistoryQuery =
  | {
      /** Maximum number of the latest entries, 1 to 1000. Default: 100. */
      readonly last?: number;
      readonly after?: never;
      readonly limit?: never;
    }
  | {
      /** A position that `append` or `history` returned for this session; 0 for the beginning. */
      readonly after: number;
      /** Maximum number of entries, 1 to 1000. Default: 100. */
      readonly limit?: number;
      readonly last?: never;
    };

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
  if (found.outcome === 'invalid_position') {
    return err(invalidInput([{ path: 'after', message: 'is not a position in this history' }]));
  }
  return ok({ entries: found.entries, position: found.position, hasMore: found.hasMore });
};
