import { err, ok, type Result } from 'neverthrow';
import { chain } from '../answer.js';
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
import type { Answer, SessionKey } from '../store.js';
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
export const appendHistory = (
  { store, now, policy, bound }: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Answer<Appended, AppendError> =>
  chain(now(), (at) =>
    chain(readAppend(entries, options, timestampOf(at), policy.limits), (added) =>
      chain(store.append(key, { now: at, ...added, ...bound }), (answer): Result<Appended, AppendError> => {
        if (answer.outcome === 'appended') return ok({ position: answer.position });
        if (answer.outcome === 'missing') return err(notFound(key.id));
        if (answer.outcome === 'full') return err(historyFull(key.id, policy.limits.historyEntries));
        return err(invalidTransition(settle(answer.state, at).status, 'append'));
      }),
    ),
  );
