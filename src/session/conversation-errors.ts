import type { TypedError } from './typed-error.js';

/**
 * The history would exceed the maximum number of entries. For a rewind, also: the history has been
 * cut by as many rewinds as the store can keep, as `message` says. Nothing was appended.
 */
export interface HistoryFull extends TypedError<'history_full'> {
  /** The id of the session. */
  readonly id: string;
  /** Maximum number of entries in a history, or of rewinds that cut it. */
  readonly limit: number;
}

export const historyFull = (id: string, limit: number): HistoryFull => ({
  type: 'history_full',
  message: `the history would have more than ${limit} entries`,
  id,
  limit,
});

export const historyCut = (id: string, limit: number): HistoryFull => ({
  type: 'history_full',
  message: `rewinds have cut the history ${limit} times, the maximum of this store: continue in a fork`,
  id,
  limit,
});

/**
 * The history does not end at `ifPosition`: another call has changed it. This call changed nothing.
 */
export interface HistoryMoved extends TypedError<'history_moved'> {
  /** The id of the session. */
  readonly id: string;
  /** The position at which the history ends. */
  readonly position: number;
}

export const historyMoved = (id: string, position: number): HistoryMoved => ({
  type: 'history_moved',
  message: `the history ends at position ${position}`,
  id,
  position,
});

/** The inbox has as many messages as may wait, `limits.inboxMessages`. Nothing was changed. */
export interface InboxFull extends TypedError<'inbox_full'> {
  /** The id of the session. */
  readonly id: string;
  /** Maximum number of messages that wait. */
  readonly limit: number;
}

export const inboxFull = (id: string, limit: number): InboxFull => ({
  type: 'inbox_full',
  message: `${limit} messages wait in the inbox, the maximum`,
  id,
  limit,
});

/** Nobody has answered the message in time, or the session is over. A message that waits stays. */
export interface NotAnswered extends TypedError<'not_answered'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

export const notAnswered = (id: string, messageId: string, reason: string): NotAnswered => ({
  type: 'not_answered',
  message: `nobody has answered the message: ${reason}`,
  id,
  messageId,
});

/** The message will not be answered, because it was withdrawn. */
export interface Withdrawn extends TypedError<'withdrawn'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

export const withdrawn = (id: string, messageId: string): Withdrawn => ({
  type: 'withdrawn',
  message: 'the message was withdrawn',
  id,
  messageId,
});

/** The message will not be answered, because a rewind has taken it out of the history. */
export interface Superseded extends TypedError<'superseded'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

export const superseded = (id: string, messageId: string): Superseded => ({
  type: 'superseded',
  message: 'a rewind has taken the message out of the history',
  id,
  messageId,
});
