import type { HistoryEntry, JsonValue, MessageEntry } from './session.js';

/** A message of an inbox. */
export interface Message {
  /** Unique in its session, for ever. */
  readonly id: string;
  /** 1 to 64 characters, `user` by default. */
  readonly role: string;
  /** What was said. */
  readonly content: string;
  /** When it was said: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  /** Data besides the text, if the message was sent with any. */
  readonly data?: JsonValue;
}

const isMessage = (entry: HistoryEntry): entry is MessageEntry =>
  entry.message === true && entry.id !== undefined;

const messageOf = ({ id, role, content, timestamp, data }: MessageEntry): Message => ({
  id,
  role,
  content,
  timestamp,
  ...(data !== undefined && { data }),
});

export const waitingIn = (
  messages: readonly { readonly entry?: MessageEntry }[],
): readonly Message[] =>
  messages.flatMap(({ entry }) => (entry === undefined ? [] : [messageOf(entry)]));

export const messagesIn = (entries: readonly HistoryEntry[]): readonly Message[] =>
  entries.flatMap((entry) => (isMessage(entry) ? [messageOf(entry)] : []));
