import { err, type Result } from 'neverthrow';
import type { HistoryPart } from '../../src/service/operation-results.js';
import { DEFAULT_HISTORY_LIMIT, HISTORY_LIMIT } from '../../src/session/session-limits.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';
import { messageOf } from './chat-message.js';

const placedIn = ({ entries, start }: HistoryPart) =>
  entries.map((entry, index) => ({
    message: messageOf(entry),
    start: entries[index - 1]?.position ?? start,
    position: entry.position,
  }));

/** Messages, each with the positions before and after it. */
export type PlacedMessages = ReturnType<typeof placedIn>;

/** Reads back from the `end` until a message is found, the history begins, or `search` messages are read. */
export const findBack = async <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  messageId: string | undefined,
  search = HISTORY_LIMIT,
): Promise<Result<{ readonly placed: PlacedMessages; readonly end: number }, E>> => {
  let part = await sessions.history(id, { last: Math.min(search, DEFAULT_HISTORY_LIMIT) });
  const placed: PlacedMessages = [];
  const end = part.map(({ position }) => position);
  for (;;) {
    if (part.isErr()) return err(part.error);
    placed.unshift(...placedIn(part.value));
    const left = Math.min(search - placed.length, HISTORY_LIMIT);
    const isDone = part.value.start === 0 || left <= 0 || placed.some(({ message }) => message.id === messageId);
    if (isDone) return end.map((position) => ({ placed, end: position }));
    part = await sessions.history(id, { before: part.value.start, limit: left });
  }
};
