import type { ResultAsync } from 'neverthrow';
import { object } from '../../src/schema/object.js';
import { inputOf } from '../../src/schema/read-input.js';
import { type Out, optional } from '../../src/schema/schema.js';
import { capped, whole } from '../../src/schema/values.js';
import type { HistoryPart } from '../../src/service/operation-results.js';
import type { HistoryQuery } from '../../src/service/read-history.js';
import type { InvalidInput } from '../../src/session/errors.js';
import { HISTORY_LIMIT } from '../../src/session/limits.js';
import type { OperationErrors } from '../../src/session/operation-errors.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';
import { type ChatMessage, messageOf } from './chat-message.js';

/** Options of `loadMessages`. */
export interface LoadOptions {
  /** Maximum number of messages, from 1; above 1000 it counts as 1000. Default: 100. */
  readonly last?: number | undefined;
  /** The `before` of a page, to load the messages before it. Default: the latest messages. */
  readonly before?: number | undefined;
  /**
   * A position, for example of the last message that a summary covers. Loads the first `last`
   * messages after it; 0 for the beginning of the chat. `before` is then ignored.
   */
  readonly after?: number | undefined;
}

/** A page of a chat. */
export interface MessagePage<Message> {
  /** Oldest first. */
  readonly messages: Message[];
  /**
   * The position after each message, by the id of the message: `create({ from: { id, position } })`
   * creates a fork that ends with it.
   */
  readonly positions: ReadonlyMap<string, number>;
  /**
   * The end of the chat, if the page has the latest messages: pass it as `ifPosition` to
   * `saveMessages`, which then saves nothing if the chat has changed since.
   */
  readonly position: number;
  /** Pass it as `before` to load the page before this one; absent at the beginning of the chat. */
  readonly before?: number;
  /** Pass it as `after` to load the page after this one; absent at the end of the chat. */
  readonly after?: number;
}

const position = optional(whole(0));

const loadOptions = object({
  last: optional(capped(1, HISTORY_LIMIT), 100),
  before: position,
  after: position,
} satisfies Readonly<Record<keyof LoadOptions, unknown>>);

const parseOptions = inputOf('options', loadOptions);

const queryOf = ({ last, before, after }: Out<typeof loadOptions>): HistoryQuery => {
  if (after !== undefined) return { after, limit: last };
  if (before !== undefined) return { before, limit: last };
  return { last };
};

/**
 * The messages of history entries, for example the `history` of a turn. `Message` is the type that
 * was saved. It is not checked.
 */
export const messagesOf = <Message extends ChatMessage>(
  entries: readonly PositionedEntry[],
): Message[] => entries.map((entry) => messageOf(entry) as ChatMessage as Message);

const pageOf = <Message extends ChatMessage>({
  entries,
  start,
  position,
  hasMore,
}: HistoryPart): MessagePage<Message> => {
  const messages = messagesOf<Message>(entries);
  const positions = new Map(
    entries.map((entry, index) => [messages[index]?.id ?? '', entry.position]),
  );
  return {
    messages,
    positions,
    position,
    ...(start > 0 && { before: start }),
    ...(hasMore && { after: position }),
  };
};

/**
 * Loads the latest messages of a chat, the messages before a page, or the messages after a
 * position. `Message` is the type that was saved. It is not checked: use `validateUIMessages` of
 * the SDK if your types or tools have changed since. Never rejects.
 */
export const loadMessages = <
  Message extends ChatMessage,
  E extends ConversationError = OperationErrors['history'],
>(
  sessions: Pick<Conversations<E>, 'history'>,
  id: string,
  options: LoadOptions = {},
): ResultAsync<MessagePage<Message>, E | InvalidInput> =>
  parseOptions(options)
    .map(queryOf)
    .asyncAndThen((query) => sessions.history(id, query))
    .map(pageOf<Message>);
