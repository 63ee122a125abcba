import { err, ok, type Result } from 'neverthrow';
import { parseRedaction } from '../input/command-inputs.js';
import {
  entriesAt,
  type GivenEntry,
  type ParsedAppend,
  parseAppend,
  parseRewind,
} from '../input/entries-input.js';
import { fitSchemas } from '../input/fit-schemas.js';
import type { InputPolicy } from '../input/input-policy.js';
import { planAgain, planAppend } from '../plan/append.js';
import { planRedact } from '../plan/redact.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import {
  historyCut,
  historyFull,
  historyMoved,
  type InvalidInput,
  invalidField,
  invalidTransition,
  notFound,
  operationMismatch,
  type StoreError,
} from '../session/errors.js';
import type { HistoryAppend } from '../session/history-append.js';
import { leaseEndedIn } from '../session/lease-state.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { DataInputOf, SessionSchemas } from '../session/session-schemas.js';
import { stateAt } from '../session/state-at.js';
import type { Changed, Refusal, SessionKey } from '../store/session-store.js';
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
export interface NewHistoryEntry<T extends SessionSchemas = SessionSchemas> {
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
  readonly data?: DataInputOf<T> | undefined;
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
   * 0 for an empty history. Otherwise the append fails with `history_moved`. Default: no check.
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

/**
 * The part of the input that must be the same in a repeated call; of a rewind with the position
 * before the entries, so that it differs from that of every append.
 */
const contentOf = (entries: readonly GivenEntry[], to: number | undefined): string =>
  `${to ?? ''}${JSON.stringify(entries)}`;

/** The operation of a call; undefined if it has no id. */
const operationOf = ({ operationId: id, entries, to }: ParsedAppend): HistoryAppend['operation'] =>
  id === undefined ? undefined : { id, digest: digestOf(contentOf(entries, to)) };

/** The input of the store for a checked call. */
const changeOf = (
  { entries, to, ifPosition, fencingToken, wake }: ParsedAppend,
  { policy: { limits }, revision }: Settings,
  operation: HistoryAppend['operation'],
  now: number,
): HistoryAppend => ({
  entries: entriesAt(timestampOf(now), entries),
  now,
  maxEntries: limits.historyEntries,
  ...(operation !== undefined && { operation }),
  ...(ifPosition !== undefined && { ifPosition }),
  ...(to !== undefined && { after: to }),
  ...(fencingToken !== undefined && { fencingToken }),
  ...(wake && { wake: { revision: revision() } }),
});

const notInHistory = invalidField('to', NOT_IN_HISTORY);

/** The error of a refused append or rewind. */
const errorOf = (
  { id }: SessionKey,
  command: 'append' | 'rewind',
  { now, maxEntries = 0, ifPosition, fencingToken = 0 }: HistoryAppend,
  refusal: Refusal,
): OperationErrors['append'] => {
  switch (refusal.guard) {
    case 'present':
      return notFound(id);
    case 'operation':
      return operationMismatch(id);
    case 'fence':
      return leaseEndedIn(refusal.state, fencingToken);
    case 'end':
    case 'superseded':
      // The history is as the caller saw it, so the position to rewind to was superseded before.
      if (refusal.position === ifPosition) return notInHistory;
      return historyMoved(id, refusal.position);
    case 'position':
      return notInHistory;
    case 'rewinds':
      return historyCut(id, refusal.rewinds);
    case 'entries':
      return historyFull(id, maxEntries);
    case 'open':
    case 'over':
    case 'revision':
      return invalidTransition(stateAt(refusal.state, now).status, command);
    default:
      throw contractBroken('change', refusal);
  }
};

/** Appends or rewinds, and decides again if the session has ended or was changed since. */
const commitAppend = async (
  { store }: Settings,
  key: SessionKey,
  append: HistoryAppend,
): Promise<Result<Changed, StoreError>> => {
  let commit = planAppend(key, append);
  for (let attempt = 1; ; attempt += 1) {
    const changed = await store.change(commit);
    if (changed.isErr()) return err(changed.error);
    const next = planAgain(key, append, changed.value);
    if (next === undefined || attempt === MAX_RACES) return ok(changed.value);
    commit = next;
  }
};

/** Appends or rewinds with the input that `parse` has checked. */
const changeHistory = async (
  settings: Settings,
  key: SessionKey,
  command: 'append' | 'rewind',
  parse: (policy: InputPolicy) => Result<ParsedAppend, InvalidInput>,
): Promise<Result<Appended, OperationErrors['append']>> => {
  const { schemas, limits } = settings.policy;
  const read = parse(settings.policy);
  if (read.isErr()) return err(read.error);
  const given = read.value;
  // From the input, because a schema may have random defaults.
  const operation = operationOf(given);
  const fitted = schemas === undefined ? read : await fitSchemas(schemas, limits, given);
  if (fitted.isErr()) return err(fitted.error);
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const append = changeOf(fenced(settings, key, fitted.value), settings, operation, time.value);
  const answer = await commitAppend(settings, key, append);
  if (answer.isErr()) return err(answer.error);
  const changed = answer.value;
  if (changed.outcome === 'refused') return err(errorOf(key, command, append, changed));
  const { outcome, position } = changed;
  const isKnown = outcome === 'made' || outcome === 'repeated';
  if (!isKnown || !Number.isSafeInteger(position)) throw contractBroken('change', changed);
  return ok({ position, ...(outcome === 'repeated' && { repeated: true }) });
};

export const appendHistory = (
  settings: Settings,
  key: SessionKey,
  entries: unknown,
  options: unknown,
): Promise<Result<Appended, OperationErrors['append']>> =>
  changeHistory(settings, key, 'append', (policy) => parseAppend(entries, options, policy));

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
export interface RewindInput<T extends SessionSchemas = SessionSchemas> extends OperationOptions {
  /**
   * The position of an entry of the current history, or 0: the entries up to it stay, the others
   * are superseded.
   */
  readonly to: number;
  /** The entries that follow `to`, at most `limits.entriesPerAppend`. Default: none. */
  readonly entries?: readonly NewHistoryEntry<T>[] | undefined;
  /**
   * The position at which you saw the history end, which `history`, `append` or `rewind` returned.
   * If the history has changed since, the rewind fails with `history_moved`, so that it never drops entries
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
  changeHistory(settings, key, 'rewind', (policy) => parseRewind(input, policy));

export const redactEntries = async (
  { store, now }: Settings,
  key: SessionKey,
  positions: unknown,
): Promise<Result<undefined, OperationErrors['redact']>> => {
  const read = parseRedaction(positions);
  if (read.isErr()) return err(read.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const redacted = await store.change(planRedact(key, read.value, time.value));
  if (redacted.isErr()) return err(redacted.error);
  const { outcome } = redacted.value;
  if (outcome === 'made') return ok(undefined);
  if (outcome === 'refused' && redacted.value.guard === 'present') return err(notFound(key.id));
  if (outcome === 'refused' && redacted.value.guard === 'position')
    return err(invalidField('positions', 'must be positions of entries in this history'));
  throw contractBroken('change', redacted.value);
};
