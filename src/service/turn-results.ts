import type { Message } from '../session/message.js';
import type { PositionedEntry } from '../session/session.js';

/** The answer to a message. */
export interface Reply {
  /** The text of the last entry of the assistant; empty if there is none. */
  readonly content: string;
  /** What the turn has said after the message, oldest first. Empty if it said nothing. */
  readonly entries: readonly PositionedEntry[];
  /** Whether this call ran the turn. Otherwise nothing was streamed here. */
  readonly ran: boolean;
  /** Present if the message was answered before this call. */
  readonly repeated?: true;
  /** Present if the turn was cancelled while this call ran it: these are its last words. */
  readonly stopped?: true;
}

/**
 * `waiting`: no turn has taken it. `taken`: a turn has, and is not done. `answered`: its turn is
 * done. `withdrawn`: it was withdrawn before a turn took it. `superseded`: a rewind has taken it
 * out of the history.
 */
export type MessageState = 'waiting' | 'taken' | 'answered' | 'withdrawn' | 'superseded';

/** The result of `send`. */
export interface Sent {
  /** The id of the message. */
  readonly id: string;
  /** What has become of it. */
  readonly state: MessageState;
  /** Present if an earlier call has sent the message: this call changed nothing. */
  readonly repeated?: true;
}

/** The result of `withdraw`. */
export interface WithdrawnMessages {
  /** The messages that this call has withdrawn, oldest first. */
  readonly withdrawn: readonly Message[];
  /** The given ids of messages that a turn had already taken. */
  readonly taken: readonly string[];
}

/** The result of `take`. */
export interface TakenMessages {
  /** The messages that were sent since the last take, oldest first; often none. */
  readonly messages: readonly Message[];
  /** The position at the end of the history. */
  readonly position: number;
}

/** The result of `release`. */
export interface Released {
  /**
   * Present if the turn was cancelled: its entries are stored, as its last words.
   */
  readonly stopped?: true;
}
