import { err, type Result } from 'neverthrow';
import type { HistoryPart } from '../../src/service/operation-results.js';
import {
  type HistoryMoved,
  historyMoved,
  type InvalidInput,
  invalidField,
} from '../../src/session/errors.js';
import { sameJson } from '../../src/session/json.js';
import { DEFAULT_HISTORY_LIMIT, HISTORY_LIMIT } from '../../src/session/limits.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';
import { type Message, messageOf } from './chat-message.js';
import { isOlder } from './is-older.js';

const placedIn = ({ entries, start }: HistoryPart) =>
  entries.map((entry, index) => ({
    message: messageOf(entry),
    entryId: entry.id,
    start: entries[index - 1]?.position ?? start,
    position: entry.position,
  }));

type PlacedMessages = ReturnType<typeof placedIn>;

export interface Found {
  readonly placed: PlacedMessages;
  /**
   * Whether the search reached the first message or the beginning, so that no other message is
   * stored.
   */
  readonly isComplete: boolean;
  readonly end: number;
}

/**
 * Finds messages, which are in the order of the chat: reads back from the end until the first one
 * is found, the history begins, or `search` messages are read. Starts again if the session is
 * replaced by one without the next position.
 */
export const findBack = async <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  messages: readonly Message[],
  search: number,
): Promise<Result<Found, E>> => {
  const [first] = messages;
  const ids = new Set(messages.map((message) => message.id));
  let part = await sessions.history(id, { last: Math.min(search, DEFAULT_HISTORY_LIMIT) });
  const end = part.map(({ position }) => position);
  const placed: PlacedMessages = [];
  for (let left = search; ; ) {
    if (part.isErr()) {
      const isReplaced = left < search && part.error.type === 'invalid_input';
      return isReplaced ? findBack(sessions, id, messages, search) : err(part.error);
    }
    // Keeps only these: a chat may be larger than the memory.
    placed.unshift(...placedIn(part.value).filter(({ message }) => ids.has(message.id)));
    left -= part.value.entries.length;
    const { start } = part.value;
    const isFound = first === undefined || placed.some(({ message }) => message.id === first.id);
    const isComplete = isFound || start === 0;
    if (isComplete || left <= 0) return end.map((known) => ({ placed, isComplete, end: known }));
    part = await sessions.history(id, { before: start, limit: Math.min(left, HISTORY_LIMIT) });
  }
};

/**
 * The messages to save, and the position to rewind to, if messages are superseded or answered anew.
 * Undefined if one of the messages is an older version of the stored one.
 */
export const decide = (messages: readonly Message[], { placed }: Found, regenerate: boolean) => {
  const known = new Map(placed.map((each) => [each.message.id, each]));
  const isOutdated = messages.some((message) => {
    const stored = known.get(message.id)?.message;
    return stored !== undefined && !sameJson(stored, message) && isOlder(message, stored);
  });
  if (isOutdated) return undefined;
  const cuts = messages.flatMap((message) => {
    const there = known.get(message.id);
    if (there === undefined) return [];
    if (!sameJson(there.message, message)) return [there.start];
    if (regenerate && message === messages.at(-1)) return [there.position];
    return [];
  });
  const to = Math.min(...cuts);
  const added = messages.filter(({ id }) => !((known.get(id)?.position ?? Number.NaN) <= to));
  return { added, to: cuts.length > 0 ? to : undefined };
};

export const outdated = (id: string, end: number): HistoryMoved => ({
  ...historyMoved(id, end),
  message: 'a message is older than its stored version: load the chat again',
});

export const notFound = (search: number, path: string): InvalidInput =>
  invalidField(
    path,
    `is not among the latest ${search} messages, and the chat has more: search further, with \`search\``,
  );
