import type { HistoryEntry, JsonValue, MessageEntry } from './session.js';

/** A message of an inbox. */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  /** When it was said: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  readonly data?: JsonValue;
}

const isMessage = (entry: HistoryEntry): entry is MessageEntry =>
  entry.message === true && entry.id !== undefined;

/** The message without what the engine has added. */
const messageOf = ({ id, role, content, timestamp, data }: MessageEntry): Message => ({
  id,
  role,
  content,
  timestamp,
  ...(data !== undefined && { data }),
});

/** The messages among these that wait. */
export const waitingIn = (
  messages: readonly { readonly entry?: MessageEntry }[],
): readonly Message[] =>
  messages.flatMap(({ entry }) => (entry === undefined ? [] : [messageOf(entry)]));

/** The messages among these entries. */
export const messagesIn = (entries: readonly HistoryEntry[]): readonly Message[] =>
  entries.flatMap((entry) => (isMessage(entry) ? [messageOf(entry)] : []));
