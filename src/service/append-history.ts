import { err, ok, type Result } from 'neverthrow';
import { parseAppend } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import type { AppendError } from '../session/errors.js';
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
import type { Appended } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

/** A history entry to append. */
export interface NewHistoryEntry {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date;
  /** An id of your own, 1 to 128 characters. The engine stores it but does not use it. */
  readonly id?: string;
  /**
   * Data of the entry besides its text, such as tool calls: any JSON value. Its JSON counts towards
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
   * Rewinds the history: the new entries follow the entry at this position, and the entries after it are superseded, so
   * that no read returns them any more. 0 replaces the whole history. With `after`, `entries` may be empty. A
   * superseded position is `history_moved`, and so is that of a rewind without entries once another rewind went back to
   * it. A position that is not in this history is `invalid_input`. Default: the end of the history.
   */
  readonly after?: number;
}

/** The rule of a position in a history. */
export const NOT_IN_HISTORY = 'is not a position in this history';

export const appendHistory = async (
  settings: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, AppendError>> => {
  const { store, now, policy } = settings;
  const { limits } = policy;
  const time = now();
  if (time.isErr()) return err(time.error);
  const input = parseAppend(entries, options, timestampOf(time.value), limits);
  if (input.isErr()) return err(input.error);
  const { operationId, content, ifPosition, after } = input.value;
  const fencingToken = settings.fencingTokenOf(key.id, input.value.fencingToken);
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
