import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from '../clock.js';
import {
  type CorruptRecord,
  type HistoryFull,
  historyFull,
  type InvalidInput,
  type InvalidTransition,
  invalidTransition,
  type NotFound,
  notFound,
  type StoreUnavailable,
} from '../errors.js';
import { readAppend } from '../input/session-input.js';
import { settle } from '../session/timeline.js';
import type { SessionKey } from '../store.js';
import { contractBroken } from './contract-broken.js';
import type { Settings } from './settings.js';

/** A history entry to append. */
export interface NewHistoryEntry {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 unless the host says otherwise. */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date;
}

/** What `append` answers. */
export interface Appended {
  /** Where the history stands after these entries: opaque, growing, and the same when the append is repeated. */
  readonly position: number;
}

export type AppendError = InvalidInput | NotFound | InvalidTransition | HistoryFull | StoreUnavailable | CorruptRecord;

/** Adds entries to a history, where the session accepts them. */
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
  const answer = await store.append(key, { now: time.value, ...input.value, mostEntries: limits.historyEntries });
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
      return err(invalidTransition(settle(appended.state, time.value).status, 'append'));
    default:
      throw contractBroken('append', appended);
  }
};
