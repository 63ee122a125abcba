import { err, ok, type Result } from 'neverthrow';
import type { Leased } from './errors.js';
import {
  afterAttempt,
  heldLease,
  type LeasedState,
  leaseState,
  type NewLease,
  releasedLease,
  withoutTurn,
  withWork,
} from './lease-state.js';
import type {
  Cancellation,
  LeaseRecord,
  StateRecord,
  TurnRecord,
  WorkRecord,
} from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './time-limits.js';
import { hasRunOut, notExhausted, wakeAtOf } from './work-state.js';

export interface NewClaim extends NewLease {
  /** Maximum number of claims until the work is done. */
  readonly attempts: number;
  /** Maximum number of messages that the turn takes, in all its attempts. */
  readonly messages: number;
  /** The position at the end of the history, or an earlier one. */
  readonly start: number;
}

/** A claimed session, whose turn has begun or continues. */
export interface Claim {
  readonly outcome: 'claimed';
  readonly state: ClaimedState;
  readonly attempt: number;
  /** Whether the turn had begun before. */
  readonly isAgain: boolean;
  readonly take: { readonly messages: number; readonly turn: number } | undefined;
}

export type ClaimedState = LeasedState & { readonly work: { readonly turn: TurnRecord } };

export type Claimed =
  | Claim
  /** Its worker has crashed in the last attempt: it waits for a later wake, or for none. */
  | { readonly outcome: 'exhausted'; readonly state: StateRecord };

/** The state after a claim whose lease has run out; `state` itself if there was none. */
const afterCrash = (state: StateRecord, now: number): StateRecord => {
  const { lease } = state.work;
  if (lease?.maxAttempts === undefined || !hasRunOut(state, now)) return state;
  const released = withWork(state, { lease: releasedLease(lease, now) });
  if (lease.cancelled !== undefined) return withoutTurn(released, now);
  return afterAttempt(released, lease.maxAttempts, { now: lease.until, delayMs: 0 });
};

/**
 * The turn of an attempt: that of the earlier attempt, or a new one. A turn lasts until it is done,
 * whatever the claims, so that its number is a key for payments and deliveries.
 */
const turnOf = (
  { turn, turns = 0 }: WorkRecord,
  { start, isWoken, messages }: { start: number; isWoken: boolean; messages: number },
): TurnRecord => {
  const { number = turns + 1, woken = isWoken, messages: before = 0 } = turn ?? {};
  return Object.freeze({
    start,
    ...turn,
    number,
    ...(woken && { woken: true as const }),
    ...(messages > 0 && { messages: before + messages }),
  });
};

/**
 * The state with a lease on a turn that takes the oldest messages, whether or not a worker may
 * claim the session yet. A wake for later stays.
 */
export const beginTurn = (
  state: StateRecord,
  { attempts: maxAttempts, messages: most, start, ...lease }: NewClaim,
  now: number,
): Result<Claim, Leased | InvalidTransition> =>
  leaseState(notExhausted(afterCrash(state, now)), lease, now).map((leased) => {
    const { wakeAt, inbox = 0, askedAt = now, attempts = 0, turns = 0 } = leased.work;
    const isWoken = wakeAt !== undefined && wakeAt <= now;
    const messages = Math.min(inbox, Math.max(0, most - (leased.work.turn?.messages ?? 0)));
    // Messages that stay are new work, even after attempts that have failed.
    const { wakeAt: _w, retryAt: _r, ...rest } = withoutMessages(leased, messages, askedAt).work;
    const turn = turnOf(leased.work, { start, isWoken, messages });
    const work = Object.freeze({
      ...rest,
      ...(!isWoken && wakeAt !== undefined && { wakeAt }),
      lease: Object.freeze({ ...leased.work.lease, maxAttempts }),
      attempts: attempts + 1,
      turn,
      turns: Math.max(turns, turn.number),
    });
    return {
      outcome: 'claimed',
      state: { ...leased, work },
      attempt: attempts + 1,
      isAgain: leased.work.turn !== undefined,
      take: messages === 0 ? undefined : { messages, turn: turn.number },
    };
  });

/** The session after a claim; undefined if it has ended or waits for no worker at `now`. */
export const claimState = (
  state: StateRecord,
  claim: NewClaim,
  now: number,
): Claimed | undefined => {
  if (wakeAtOf(stateAt(state, now)) > now) return undefined;
  const waiting = afterCrash(state, now);
  if (wakeAtOf(waiting) > now) return { outcome: 'exhausted', state: waiting };
  return beginTurn(waiting, claim, now).unwrapOr(undefined);
};

/** Milliseconds that a cancelled turn has for its last words. */
export const LAST_WORDS_MS = 5000;

/** The lease after a cancel: a turn keeps others off while it may store its last words. */
const cancelledLease = (lease: LeaseRecord, cancelled: Cancellation, now: number): LeaseRecord => {
  const isTurn = lease.maxAttempts !== undefined && now < lease.until;
  if (!isTurn) return Object.freeze({ ...releasedLease(lease, now), cancelled });
  const until = Math.min(lease.until, now + LAST_WORDS_MS);
  return Object.freeze({ ...lease, until, cancelled: Object.freeze(cancelled) });
};

/** Whether a cancelled turn may store its last words. */
const isSpeaking = (state: StateRecord, now: number): boolean =>
  heldLease(state, now)?.cancelled !== undefined;

/**
 * The next state of a session whose work is cancelled: nobody may go on with it, and it waits for
 * no worker but for that of the messages in its inbox. `current` itself if that is so already.
 */
export const cancelState = (
  current: StateRecord,
  { reason }: { readonly reason: string | undefined },
  now: number,
): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'cancel'));
  const { wakeAt, retryAt, ...work } = current.work;
  const { lease, turn } = work;
  const isHeld =
    lease !== undefined &&
    lease.releasedAt === undefined &&
    lease.cancelled === undefined &&
    (now < lease.until || lease.maxAttempts !== undefined);
  const isIdle = turn === undefined || isSpeaking(current, now);
  if (!isHeld && wakeAt === undefined && retryAt === undefined && isIdle) return ok(current);
  const cancelled = { ...(reason !== undefined && { reason }) };
  const ended = isHeld ? { lease: cancelledLease(lease, cancelled, now) } : {};
  const next = withWork({ ...current, work }, ended);
  // The last words of a turn are still part of it.
  return ok(Object.freeze(isSpeaking(next, now) ? next : withoutTurn(next, now)));
};

/** The state after a rewind by another caller: the turn is void, and its worker cannot continue. */
export const voidTurn = (state: StateRecord, now: number): StateRecord => {
  const { lease } = state.work;
  const freed = withoutTurn(state, now);
  if (lease?.maxAttempts === undefined || lease.releasedAt !== undefined) return freed;
  const cancelled = Object.freeze({ reason: 'rewound' });
  return withWork(freed, { lease: Object.freeze({ ...releasedLease(lease, now), cancelled }) });
};

/** The state in which a finished turn is due again, to answer its messages once more. */
export const redoTurn = (state: StateRecord, turn: TurnRecord, now: number): StateRecord =>
  withWork(state, { turn, retryAt: now });

/** The turn that is not done at `now`: a cancelled one is done when its last words are late. */
export const openTurn = ({ work }: StateRecord, now: number): TurnRecord | undefined => {
  const { lease, turn } = work;
  const isOver = lease?.cancelled !== undefined && now >= lease.until;
  return isOver ? undefined : turn;
};

export const sentState = (state: StateRecord, now: number): StateRecord => {
  const { inbox = 0, askedAt = now } = state.work;
  return withWork(state, { inbox: inbox + 1, askedAt: Math.min(askedAt, now) });
};

/** The state with fewer messages in its inbox. Those that stay wait since `askedAt`. */
export const withoutMessages = (
  state: StateRecord,
  messages: number,
  askedAt = state.work.askedAt,
): StateRecord => {
  const { inbox = 0, askedAt: _, ...work } = state.work;
  if (inbox <= messages) return { ...state, work: Object.freeze(work) };
  const asked = askedAt !== undefined && { askedAt };
  return withWork({ ...state, work }, { ...asked, inbox: inbox - messages });
};
