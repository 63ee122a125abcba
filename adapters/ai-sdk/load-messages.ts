import type { ResultAsync } from 'neverthrow';
import type { HistoryError } from '../../src/session/errors.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';
import { type ChatMessage, messageOf } from './chat-message.js';

/** Which messages to load. */
export interface LoadOptions {
  /** Maximum number of messages, from 1; above 1000 it counts as 1000. Default: 100. */
  readonly last?: number;
  /** The `before` of a page, for the messages before it. Default: the latest messages. */
  readonly before?: number | undefined;
}

/** A page of a chat. */
export interface MessagePage<Message> {
  /** Oldest first. */
  readonly messages: Message[];
  /**
   * The position after each message, by the id of the message: `create({ from: { id, position } })` creates a fork that
   * ends with it.
   */
  readonly positions: ReadonlyMap<string, number>;
  /**
   * The end of the chat, if the page has the latest messages: pass it as `ifPosition` to `saveMessages`, which then
   * supersedes no message that this page does not show.
   */
  readonly position: number;
  /** Pass it as `before` to load the page before this one; absent at the beginning of the chat. */
  readonly before?: number;
}

/**
 * Loads the latest messages of a chat, or those before a page. `Message` is the type that was saved. It is not checked:
 * use `validateUIMessages` of the SDK if your types or tools have changed since. Never rejects.
 */
export const loadMessages = <Message extends ChatMessage, E extends ConversationError = HistoryError>(
  sessions: Pick<Conversations<E>, 'history'>,
  id: string,
  { last = 100, before }: LoadOptions = {},
): ResultAsync<MessagePage<Message>, E> =>
  sessions
    .history(id, before === undefined ? { last } : { before, limit: last })
    .map(({ entries, start, position }) => {
      // Unchecked, as documented above.
      const messages = entries.map((entry) => messageOf(entry) as ChatMessage as Message);
      const positions = new Map(entries.map((entry, index) => [messages[index]?.id ?? '', entry.position]));
      return { messages, positions, position, ...(start > 0 && { before: start }) };
    });
