import type { Result } from 'neverthrow';
import { parseRewind } from '../input/parse-append.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import { changeHistory, type NewHistoryEntry } from './append-history.js';
import type { OperationOptions } from './change-session.js';
import type { Appended } from './operation-results.js';
import type { Settings } from './settings.js';

/**
 * Input of `rewind`.
 *
 * @example
 * ```ts
 * const { entries, position } = await sessions.orThrow.history(id);
 * await sessions.orThrow.rewind(id, {
 *   to: entries[0]?.position ?? 0,
 *   entries: [{ role: 'user', content: 'Ships, mostly.' }],
 *   ifPosition: position,
 *   operationId: 'edit-1',
 *   wake: true, // a worker answers again
 * });
 * ```
 */
export interface RewindInput extends OperationOptions {
  /**
   * The position of an entry of the current history, or 0: the entries up to it stay, the others
   * are superseded.
   */
  readonly to: number;
  /** The entries that follow `to`, at most `limits.entriesPerAppend`. Default: none. */
  readonly entries?: readonly NewHistoryEntry[];
  /**
   * The position at which you saw the history end, which `history`, `append` or `rewind` returned.
   * If the history has changed since, the rewind is `history_moved`, so that it never drops entries
   * that you have not seen.
   */
  readonly ifPosition: number;
  /** As in `AppendOptions`. Default: false. */
  readonly wake?: boolean;
}

export const rewindHistory = (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Appended, OperationErrors['rewind']>> =>
  changeHistory(settings, key, 'rewind', (now, limits) => parseRewind(input, now, limits));
