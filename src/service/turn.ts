import type { Result } from 'neverthrow';
import type { Message } from '../session/message.js';
import type { Counters, PositionedEntry, Session } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { LeaseSignal } from '../session/with-lease.js';
import type { NewHistoryEntry } from './new-history-entry.js';

/** An entry of a turn. */
export interface TurnEntry extends Omit<NewHistoryEntry, 'role'> {
  /** 1 to 64 characters. Default: `assistant`. */
  readonly role?: string | undefined;
}

/** What a turn says: a string, an entry, or entries, oldest first. An empty string is silence. */
export type TurnEntries = string | TurnEntry | readonly (string | TurnEntry)[];

/** Input of `take`. */
export interface TakeInput {
  /** The fencing token of the claim. */
  readonly fencingToken: number;
  /**
   * What the turn has said so far, stored before the messages. A call that is repeated stores it
   * again: after `store_unavailable`, release without `done`, so that the next attempt reads what
   * was stored. Default: nothing.
   */
  readonly after?: TurnEntries | undefined;
  /** Maximum number of messages, from 1; above 100 it counts as 100. Default: 100. */
  readonly limit?: number | undefined;
}

/** The argument of `run`: a turn of a session. */
export interface TurnOf<T extends SessionSchemas, S> {
  /** The session as it was when the turn began, without its history. */
  readonly session: Session<T>;
  /** The tenant of the session. */
  readonly tenant: string;
  /** From 1; the same in every attempt, so that it is a key for payments and deliveries. */
  readonly number: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** All messages that the turn answers, those of earlier attempts included, oldest first. */
  readonly messages: readonly Message[];
  /** Whether a `wake` that was due is a reason for the turn. */
  readonly woken: boolean;
  /** The latest entries of the history, oldest first. It ends with the messages. */
  readonly history: readonly PositionedEntry<T>[];
  /**
   * Stores a finished step, then takes the messages that were sent since, in one step. Rejects with
   * a `SessionFailure`.
   */
  readonly take: (options?: Omit<TakeInput, 'fencingToken'>) => Promise<readonly Message[]>;
  /**
   * The same sessions, whose writes on the session carry the fencing token and the number of the
   * turn.
   */
  readonly sessions: S;
  /**
   * Aborted when the turn is over: it was cancelled or rewound, has run longer than `maxSeconds`,
   * the session has ended, or another process may have it. Without events in the store, and after
   * an expiry that no sweeper has stored, this is noticed only at the next renewal. `reason` is the
   * error, for example `cancelled`.
   */
  readonly signal: LeaseSignal;
  /** For calls that do not go through `sessions`, for example calls of another process. */
  readonly fencingToken: number;
}

/** What a turn says, and what it has used. */
export interface Ending {
  /** Default: nothing. */
  readonly entries?: TurnEntries | undefined;
  /** Usage to add to the counters of the session; see `spend`. Default: nothing. */
  readonly usage?: Counters | undefined;
}

/** What a turn says, stored in the same step as its end. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says nothing.
export type Said = TurnEntries | Ending | null | undefined | void;

/**
 * Answers a turn. If it throws, rejects or returns an `Err`, the turn is tried again later. After a
 * cancel, what it returns within five seconds is stored as its last words.
 */
export type RunOf<T extends SessionSchemas, S> = (
  turn: TurnOf<T, S>,
) => Said | Result<Said, unknown> | PromiseLike<Said | Result<Said, unknown>>;

/** Options of a turn. */
export interface TurnOptions {
  /** Maximum seconds of an attempt, 0.001 to 86400. Default: 600. */
  readonly maxSeconds?: number | undefined;
  /**
   * Maximum number of messages that a turn takes, in all its attempts until the last has failed, 1
   * to 100; `take` takes more. Default: 100.
   */
  readonly messages?: number | undefined;
  /** Maximum number of entries in `history`, 0 to 1000. Default: 1000. */
  readonly historyLimit?: number | undefined;
  /**
   * Seconds of the lease, which is renewed at each third of them, 0.001 to 86400: after a crash,
   * the session waits for that long. Default: 30.
   */
  readonly seconds?: number | undefined;
  /** Maximum number of attempts, 1 to 1000. Default: 10. */
  readonly attempts?: number | undefined;
}
