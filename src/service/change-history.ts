import { err, ok, type Result } from 'neverthrow';
import { type ParsedAppend, parseAppend, parseRewind } from '../input/parse-entries.js';
import { parseRedaction } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import {
  historyCut,
  historyFull,
  historyMoved,
  type InvalidInput,
  invalidField,
  invalidTransition,
  type LeaseEnded,
  type LeaseLost,
  leaseLost,
  notFound,
  operationMismatch,
  type StoreError,
} from '../session/errors.js';
import { leaseEndedIn } from '../session/lease-state.js';
import type { SessionLimits } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { JsonValue } from '../session/session.js';
import { stateAt } from '../session/state-at.js';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './change-session.js';
import type { Appended } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import { fenced, type Settings } from './settings.js';

/**
 * A history entry to append.
 *
 * @example
 * ```ts
 * await sessions.orThrow.append(id, [
 *   {
 *     role: 'user',
 *     content: 'And a tunnel.',
 *     timestamp: new Date(),
 *     data: { latencyMs: 420 },
 *   },
 * ]);
 * ```
 */
export interface NewHistoryEntry {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date | undefined;
  /** An id of your own, 1 to 128 characters. The engine stores it but does not use it. */
  readonly id?: string | undefined;
  /**
   * Data of the entry besides its text, such as tool calls: any JSON value. Its JSON counts towards
   * `limits.contentBytes`.
   */
  readonly data?: JsonValue | undefined;
  /**
   * The position that the entry has in another history, a whole number from 0. It is ignored, so
   * that an entry of `history` can be given as it is.
   */
  readonly position?: number | undefined;
}

/**
 * Options of `append`.
 *
 * @example
 * ```ts
 * const { entries, position } = await sessions.orThrow.history(id);
 * const answer = [{ role: 'assistant', content: await askModel(entries) }];
 * const appended = await sessions.append(id, answer, { ifPosition: position });
 * if (appended.isErr() && appended.error.type === 'history_moved') console.error('Ask again.');
 * ```
 *
 * @example
 * ```ts
 * await sessions.orThrow.append(id, [{ role: 'user', content: 'Hello?' }], { wake: true });
 * const { count } = await sessions.orThrow.countWaiting();
 * console.log(count); // 1
 * ```
 */
export interface AppendOptions extends OperationOptions {
  /**
   * Appends only if the history still ends at this position, which `append` or `history` returned;
   * 0 for an empty history. Otherwise the append is `history_moved`. Default: no check.
   */
  readonly ifPosition?: number | undefined;
  /**
   * Whether the session waits for a worker from now on, in the same step; see `claim`. One that has
   * ended waits for none. Default: false.
   */
  readonly wake?: boolean | undefined;
}

/** The rule of a position in a history. */
export const NOT_IN_HISTORY = 'is not a position in this history';

/** The input of the store for a checked call. */
const changeOf = (
  { entries, operationId, content, to, ifPosition, fencingToken, wake }: ParsedAppend,
  { policy: { limits }, revision }: Settings,
  now: number,
): HistoryAppend => ({
  entries,
  now,
  maxEntries: limits.historyEntries,
  ...(operationId !== undefined && { operation: { id: operationId, digest: digestOf(content()) } }),
  ...(ifPosition !== undefined && { ifPosition }),
  ...(to !== undefined && { after: to }),
  ...(fencingToken !== undefined && { fencingToken }),
  ...(wake && { wake: { revision: revision() } }),
});

const notInHistory = invalidField('to', NOT_IN_HISTORY);

/** The result or the error of an answer of the store. */
const resultOf = (
  { id }: SessionKey,
  command: 'append' | 'rewind',
  { now, maxEntries = 0, ifPosition, fencingToken = 0 }: HistoryAppend,
  appended: AppendOutcome,
): Result<Appended, OperationErrors['append']> => {
  switch (appended.outcome) {
    case 'appended':
      if (!Number.isSafeInteger(appended.position)) throw contractBroken('append', appended);
      return ok({ position: appended.position, ...(appended.repeated && { repeated: true }) });
    case 'missing':
      return err(notFound(id));
    case 'mismatch':
      return err(operationMismatch(id));
    case 'lease_lost':
      return err(leaseLost(fencingToken));
    case 'moved':
      // The history is as the caller saw it, so the position to rewind to was superseded before.
      if (appended.position === ifPosition) return err(notInHistory);
      return err(historyMoved(id, appended.position));
    case 'invalid_position':
      return err(notInHistory);
    case 'full':
      if (appended.maxRewinds !== undefined) return err(historyCut(id, appended.maxRewinds));
      return err(historyFull(id, maxEntries));
    case 'closed':
      return err(invalidTransition(stateAt(appended.state, now).status, command));
    default:
      throw contractBroken('append', appended);
  }
};

/** Why the lease of a refused append is over: stores do not tell whether it was cancelled. */
const leaseEndedAt = async (
  { store }: Settings,
  key: SessionKey,
  lost: LeaseLost,
): Promise<LeaseEnded | StoreError> => {
  const found = await store.findState(key);
  if (found.isErr()) return found.error;
  if (found.value === undefined) return lost;
  return leaseEndedIn(found.value, lost.fencingToken);
};

/** Appends or rewinds with the input that `parse` has checked. */
const changeHistory = async (
  settings: Settings,
  key: SessionKey,
  command: 'append' | 'rewind',
  parse: (now: string, limits: SessionLimits) => Result<ParsedAppend, InvalidInput>,
): Promise<Result<Appended, OperationErrors['append']>> => {
  const { limits } = settings.policy;
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const now = time.value;
  const read = parse(timestampOf(now), limits);
  if (read.isErr()) return err(read.error);
  const change = changeOf(fenced(settings, key, read.value), settings, now);
  const answer = await settings.store.append(key, change);
  const result = answer.andThen((appended) => resultOf(key, command, change, appended));
  const isLost = result.isErr() && result.error.type === 'lease_lost';
  if (isLost) return err(await leaseEndedAt(settings, key, result.error));
  return result;
};

export const appendHistory = (
  settings: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, OperationErrors['append']>> =>
  changeHistory(settings, key, 'append', (now, limits) =>
    parseAppend(entries, options, now, limits),
  );

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
  readonly entries?: readonly NewHistoryEntry[] | undefined;
  /**
   * The position at which you saw the history end, which `history`, `append` or `rewind` returned.
   * If the history has changed since, the rewind is `history_moved`, so that it never drops entries
   * that you have not seen.
   */
  readonly ifPosition: number;
  /** As in `AppendOptions`. Default: false. */
  readonly wake?: boolean | undefined;
}

export const rewindHistory = (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Appended, OperationErrors['rewind']>> =>
  changeHistory(settings, key, 'rewind', (now, limits) => parseRewind(input, now, limits));

export const redactEntries = async (
  { store, now }: Settings,
  key: SessionKey,
  positions: unknown,
): Promise<Result<undefined, OperationErrors['redact']>> => {
  const read = parseRedaction(positions);
  if (read.isErr()) return err(read.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const redacted = await store.redact(key, read.value, time.value);
  if (redacted.isErr()) return err(redacted.error);
  switch (redacted.value) {
    case 'redacted':
      return ok(undefined);
    case 'missing':
      return err(notFound(key.id));
    case 'invalid_position':
      return err(invalidField('positions', 'must be positions of entries in this history'));
    default:
      throw contractBroken('redact', redacted.value);
  }
};
