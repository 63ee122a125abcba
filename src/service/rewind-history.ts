import { err, ok, type Result } from 'neverthrow';
import { entriesAt } from '../input/entries-input.js';
import { type ParsedRewind, parseRewind } from '../input/rewind-input.js';
import { digestOf } from '../session/digest-of.js';
import {
  type InvalidInput,
  inboxFull,
  invalidField,
  invalidTransition,
  notFound,
  operationMismatch,
} from '../session/errors.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import { isLeasedWith, leaseEndedIn, wakeState } from '../session/lease-state.js';
import { TAKE_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
import type { StateRecord, TurnRecord } from '../session/session-record.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { stateAt, usedState } from '../session/time-limits.js';
import { redoTurn, sentState, voidTurn, withoutMessages } from '../session/turn-state.js';
import type { Refusal, SessionKey } from '../store/session-store.js';
import type { OperationOptions } from './apply-command.js';
import { appendedOf, NOT_IN_HISTORY, operationWith, refusedAppend } from './commit-append.js';
import { countedState } from './counter-usage.js';
import { fitInput } from './fit-input.js';
import type { NewHistoryEntry } from './new-history-entry.js';
import type { Appended } from './operation-results.js';
import { type GivenMessage, type NewMessage, prepared, storedMessage } from './send-message.js';
import { fenced, type Settings, turnUnder } from './settings.js';
import { positionAfter } from './take-messages.js';
import { type Decide, makeStep } from './update-state.js';

/**
 * Input of `rewind`. One of `to`, `before` and `after` says where the history goes back to.
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
 *
 * @example
 * ```ts
 * const asked = { id: 'm-1', content: 'And a tunnel.' };
 * await sessions.orThrow.reply(id, asked, () => 'How long is it?');
 * await sessions.orThrow.rewind(id, { after: 'm-1', wake: true }); // a worker answers it again
 * const edited = { id: 'm-2', content: 'And two tunnels.' };
 * await sessions.orThrow.rewind(id, { before: 'm-1', send: edited, usage: { tokens: 20 } });
 * ```
 */
export interface RewindInput<T extends SessionSchemas = SessionSchemas> extends OperationOptions {
  /**
   * The position of an entry of the current history, or 0: the entries up to it stay, the others
   * are superseded.
   */
  readonly to?: number | undefined;
  /**
   * The id of a message: it is superseded with all that follows it, or withdrawn if it still waits.
   * With `send`, this edits a message.
   */
  readonly before?: string | undefined;
  /** The id of a message: what follows it is superseded. With `wake`, it is answered again. */
  readonly after?: string | undefined;
  /** The entries that follow, at most `limits.entriesPerAppend`. Default: none. */
  readonly entries?: readonly NewHistoryEntry<T>[] | undefined;
  /** A message to send in the same step. Default: none. */
  readonly send?: string | NewMessage | undefined;
  /**
   * The position at which you saw the history end, which `history`, `append` or `rewind` returned.
   * If the history has changed since, the rewind fails with `history_moved`, so that it never drops
   * entries that you have not seen. Required with `to`.
   */
  readonly ifPosition?: number | undefined;
  /** Usage to add to the counters of the session, in the same step. Default: nothing. */
  readonly usage?: Counters | undefined;
  /** Let the session wait for a worker, in the same step. Default: false. */
  readonly wake?: boolean | undefined;
}

const NO_MESSAGE = 'is not the id of a message in this history';

interface Place {
  /** Undefined if the history stays as it is. */
  readonly to: number | undefined;
  /** The message to withdraw, which still waits. */
  readonly withdraw?: string | undefined;
  /** The turn of the message with which the history then ends. */
  readonly turn?: TurnRecord | undefined;
}

type PlaceError = InvalidInput | OperationErrors['history'];

interface MessageAt {
  /** The position before the message. */
  readonly before: number;
  readonly turn: TurnRecord;
}

const messageAt = async (
  { store, policy: { limits } }: Settings,
  key: SessionKey,
  position: number,
): Promise<Result<MessageAt | undefined, PlaceError>> => {
  const slice = { before: position, limit: TAKE_LIMIT, maxBytes: limits.pageBytes };
  const part = await store.entries(key, slice);
  if (part.isErr()) return err(part.error);
  if (part.value.outcome === 'missing') return err(notFound(key.id));
  // The step that follows finds out whether it is a position.
  if (part.value.outcome !== 'found') return ok(undefined);
  const { entries, start: first } = part.value;
  const { position: last, message, turn: number } = entries.at(-1) ?? {};
  if (last !== position || message === undefined || number === undefined) return ok(undefined);
  const before = entries.at(-2)?.position ?? first;
  // A turn that began before this part began after the beginning of the history.
  const start = entries[entries.findIndex(({ turn }) => turn === number) - 1]?.position ?? 0;
  const messages = entries.filter((each) => each.message && each.turn === number).length;
  return ok({ before, turn: Object.freeze({ number, start, messages }) });
};

const placeOf = async (
  settings: Settings,
  key: SessionKey,
  { to, before, after, wake, operationId }: ParsedRewind,
): Promise<Result<Place, PlaceError>> => {
  const id = before ?? after;
  if (id === undefined) {
    if (to === undefined || !wake) return ok({ to });
    const at = await messageAt(settings, key, to);
    return at.map((message) => ({ to, turn: message?.turn }));
  }
  const path = before === undefined ? 'after' : 'before';
  const found = await settings.store.messages(key, [id]);
  if (found.isErr()) return err(found.error);
  const [message] = found.value;
  const position = message?.position;
  if (position === undefined) {
    // An earlier call with the operation id may have withdrawn it.
    const isGone = message !== undefined && operationId !== undefined;
    if (path === 'before' && (message?.entry !== undefined || isGone))
      return ok({ to: undefined, withdraw: message.entry && id });
    return err(invalidField(path, NO_MESSAGE));
  }
  const at = await messageAt(settings, key, position);
  return at.andThen((there): Result<Place, PlaceError> => {
    if (there === undefined) return err(invalidField(path, NO_MESSAGE));
    return ok(path === 'before' ? { to: there.before } : { to: position, turn: there.turn });
  });
};

/**
 * The state after a rewind. A rewind from outside the running turn voids the turn, which would
 * answer a question that is no longer in the history.
 */
const rewoundState = (
  current: StateRecord,
  { fencingToken, wake, entries, send }: ParsedRewind,
  { to, turn, withdraw }: Place,
  now: number,
): StateRecord => {
  // The running turn does not answer a message that still waits.
  const isOwn = fencingToken !== undefined || to === undefined;
  const kept = withdraw === undefined ? current : withoutMessages(current, 1);
  const voided = isOwn ? kept : voidTurn(kept, now);
  const sent = send === undefined ? voided : sentState(voided, now);
  if (!wake) return usedState(sent, now);
  const isAgain = turn !== undefined && entries.length === 0 && send === undefined;
  const waiting = isAgain ? redoTurn(sent, turn, now) : wakeState(sent, now, now).unwrapOr(sent);
  return usedState(waiting, now);
};

const operationOf = (rewind: ParsedRewind) => {
  const { operationId, to, before, after, entries, send, usage } = rewind;
  return operationWith(operationId, ['rewind', to, before, after, entries, send, usage]);
};

const guardsOf = (
  { policy: { limits } }: Settings,
  rewind: ParsedRewind,
  { withdraw }: Place,
  now: number,
) => {
  const { ifPosition: end, fencingToken: token, send } = rewind;
  const added = withdraw === undefined ? 1 : 0;
  return {
    operation: operationOf(rewind),
    fence: token === undefined ? undefined : { token, now },
    end,
    entries: limits.historyEntries,
    inbox: send === undefined ? undefined : limits.inboxMessages - added,
  };
};

const NOWHERE = Number.MAX_SAFE_INTEGER;

type DecideRewind = Decide<OperationErrors['rewind']>;

/**
 * A rewind that cannot be made now may have been made by an earlier call: a step that changes
 * nothing asks the store.
 */
const orRepeated =
  ({ id }: SessionKey, rewind: ParsedRewind, decide: DecideRewind): DecideRewind =>
  async (current, now, isGuess) => {
    const decided = await decide(current, now, isGuess);
    const operation = operationOf(rewind);
    if (isGuess || decided.isOk() || operation === undefined) return decided;
    return ok({
      state: current,
      guards: { operation, end: NOWHERE },
      effects: { truncate: 0 },
      refused: ({ guard }) => (guard === 'operation' ? operationMismatch(id) : decided.error),
    });
  };

const refusedBy =
  ({ policy: { limits } }: Settings, key: SessionKey, { ifPosition }: ParsedRewind, now: number) =>
  (refusal: Refusal): OperationErrors['rewind'] => {
    const isSeen = 'position' in refusal && refusal.position === ifPosition;
    if (refusal.guard === 'position' || (isSeen && refusal.guard !== 'end'))
      return invalidField('to', NOT_IN_HISTORY);
    if (refusal.guard === 'message') return operationMismatch(key.id);
    if (refusal.guard === 'inbox') return inboxFull(key.id, limits.inboxMessages);
    return refusedAppend(key, 'rewind', { now, maxEntries: limits.historyEntries }, refusal);
  };

const rewindStep =
  (
    settings: Settings,
    key: SessionKey,
    rewind: ParsedRewind,
    message: GivenMessage | undefined,
  ): DecideRewind =>
  async (current, now) => {
    const { fencingToken } = rewind;
    const { status } = stateAt(current, now);
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'rewind'));
    if (fencingToken !== undefined && !isLeasedWith(current, fencingToken, now))
      return err(leaseEndedIn(current, fencingToken));
    const place = await placeOf(settings, key, rewind);
    if (place.isErr()) return err(place.error);
    const { to, withdraw } = place.value;
    const isOver = status === 'TERMINATED';
    if (isOver && message !== undefined) return err(invalidTransition(status, 'send'));
    const entries = entriesAt(now, rewind.entries, turnUnder(settings.fence, key));
    const isWritten = to !== undefined || entries.length > 0;
    if (!isWritten && (withdraw ?? message) === undefined) return ok({ state: current });
    const guards = guardsOf(settings, rewind, place.value, now);
    const rewound = isOver ? current : rewoundState(current, rewind, place.value, now);
    const counted = countedState(settings, rewound, rewind.usage, now);
    if (counted.isErr()) return err(counted.error);
    return ok({
      state: counted.value,
      guards: isWritten ? guards : { ...guards, operation: undefined },
      effects: {
        truncate: to,
        entries,
        send: message && storedMessage(message, now),
        withdraw: withdraw === undefined ? undefined : [withdraw],
      },
      refused: refusedBy(settings, key, rewind, now),
    });
  };

/** The message to send; a repeated operation sends the same. */
const messageOf = async (settings: Settings, { send, operationId }: ParsedRewind) => {
  if (send === undefined) return ok(undefined);
  const id = send.id ?? (operationId && digestOf(operationId));
  return prepared(settings, 'send', { ...send, id });
};

export const rewindHistory = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Appended, OperationErrors['rewind']>> => {
  const read = await fitInput(settings, parseRewind(input, settings.policy));
  if (read.isErr()) return err(read.error);
  const rewind = fenced(settings, key, read.value);
  const message = await messageOf(settings, rewind);
  if (message.isErr()) return err(message.error);
  const step = rewindStep(settings, key, rewind, message.value);
  const stepped = await makeStep(settings, key, orRepeated(key, rewind, step));
  if (stepped.isErr()) return err(stepped.error);
  const { changed } = stepped.value;
  const position = await positionAfter(settings, key, changed);
  const outcome = changed?.outcome ?? 'repeated';
  return position.map((end) => appendedOf({ outcome, position: end }));
};
