import { err, ok, type Result } from 'neverthrow';
import { parseHistoryQuery } from '../input/parse-list-query.js';
import { parseAppend } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import type { AppendError, HistoryError } from '../session/errors.js';
import {
  historyFull,
  historyMoved,
  invalidInput,
  invalidTransition,
  leaseLost,
  notFound,
  operationMismatch,
} from '../session/errors.js';
import type { JsonValue } from '../session/session.js';
import { stateAt } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './change-session.js';
import type { Appended, HistoryPart } from './operation-results.js';
import { contractBroken } from './perform.js';
import type { Settings } from './settings.js';

/** A history entry to append. */
export interface NewHistoryEntry {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date;
  /** An id of your own, 1 to 128 characters. The engine does not look for it. */
  readonly id?: string;
  /**
   * What belongs to the entry beside its text, such as tool calls: any JSON value, whose JSON counts into
   * `limits.contentBytes`.
   */
  readonly data?: JsonValue;
}

/** Options of `append`. */
export interface AppendOptions extends OperationOptions {
  /**
   * Appends only if the history still ends at this position, which `append` or `history` returned; 0 for an empty
   * history. Otherwise the append is `history_moved`. Default: no check.
   */
  readonly ifPosition?: number;
  /**
   * Rewinds: the entries follow this position of an entry, and what followed it is superseded, which no read shows any more;
   * 0 replaces the whole history. With it, the entries may be none. A position that is itself superseded is `history_moved`;
   * one that is not in this history is `invalid_input`. Default: the end of the history.
   */
  readonly after?: number;
}

const NOT_IN_HISTORY = 'is not a position in this history';

export const appendHistory = async (
  { store, now, policy: { limits } }: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, AppendError>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const input = parseAppend(entries, options, timestampOf(time.value), limits);
  if (input.isErr()) return err(input.error);
  const { operationId, content, ifPosition, after, fencingToken } = input.value;
  const answer = await store.append(key, {
    entries: input.value.entries,
    now: time.value,
    maxEntries: limits.historyEntries,
    ...(operationId !== undefined && {
      operation: { id: operationId, digest: digestOf(content) },
    }),
    ...(ifPosition !== undefined && { ifPosition }),
    ...(after !== undefined && { after }),
    ...(fencingToken !== undefined && { fencingToken }),
  });
  if (answer.isErr()) return err(answer.error);
  const appended = answer.value;
  switch (appended.outcome) {
    case 'appended':
      if (!Number.isSafeInteger(appended.position)) throw contractBroken('append', appended);
      return ok({ position: appended.position, ...(appended.repeated && { repeated: true }) });
    case 'missing':
      return err(notFound(key.id));
    case 'mismatch':
      return err(operationMismatch(key.id));
    case 'lease_lost':
      return err(leaseLost(fencingToken ?? 0));
    case 'moved':
      return err(historyMoved(key.id, appended.position));
    case 'invalid_position':
      return err(invalidInput([{ path: 'after', message: NOT_IN_HISTORY }]));
    case 'full':
      return err(historyFull(key.id, limits.historyEntries));
    case 'closed':
      return err(invalidTransition(stateAt(appended.state, time.value).status, 'append'));
    default:
      throw contractBroken('append', appended);
  }
};

/** The part of a history to read: the last entries, those after a position, or those before one. */
export type HistoryQuery =
  | {
      /** Maximum number of the latest entries, 1 to 1000. Default: 100. */
      readonly last?: number;
      readonly after?: never;
      readonly before?: never;
      readonly limit?: never;
    }
  | {
      /** A position that `append` or `history` returned for this session; 0 for the beginning. */
      readonly after: number;
      /** Maximum number of entries, 1 to 1000. Default: 100. */
      readonly limit?: number;
      readonly before?: never;
      readonly last?: never;
    }
  | {
      /** A position that `append` or `history` returned for this session, such as the `start` of a part. */
      readonly before: number;
      /** Maximum number of entries, 1 to 1000: the latest before the position. Default: 100. */
      readonly limit?: number;
      readonly after?: never;
      readonly last?: never;
    };

export const readHistory = async (
  { store, policy: { limits } }: Settings,
  key: SessionKey,
  query: unknown,
): Promise<Result<HistoryPart, HistoryError>> => {
  const slice = parseHistoryQuery(query);
  if (slice.isErr()) return err(slice.error);
  const answer = await store.findEntries(key, { ...slice.value, maxBytes: limits.pageBytes });
  if (answer.isErr()) return err(answer.error);
  const found = answer.value;
  if (found.outcome === 'missing') return err(notFound(key.id));
  if (found.outcome === 'invalid_position') {
    const path = slice.value.after === undefined ? 'before' : 'after';
    return err(invalidInput([{ path, message: NOT_IN_HISTORY }]));
  }
  const { entries, start, position, hasMore } = found;
  return ok({ entries, start, position, hasMore });
};
