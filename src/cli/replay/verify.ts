import type { SessionService } from '../../service/session-service.js';
import { type Conversation, differences } from './conversation.js';

/** What was held: the conversation of each session. */
export type Held = ReadonlyMap<string, Conversation>;

const PAGE = 100;

/** Reads one session back and compares it entry by entry. */
export const verifyOne = async (sessions: SessionService, id: string, conversation: Conversation): Promise<string[]> =>
  (await sessions.get(id)).match(
    (session) => differences(conversation, session),
    (error) => [`${conversation.id}: cannot be read back: ${error.message}`],
  );

/** Walks through all pages of the list, which must name every session once. */
export const verifyList = async (sessions: SessionService, held: Held): Promise<string[]> => {
  const missing = new Set(held.keys());
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const listed = await sessions.list({ limit: PAGE, page });
    if (listed.isErr()) return [...found, `page ${page} of the list cannot be read: ${listed.error.message}`];
    const { sessions: read, unreadable, total } = listed.value;
    if (page === 1 && total !== held.size) found.push(`the list counts ${total} sessions, not ${held.size}`);
    for (const id of [...read.map((session) => session.id), ...unreadable]) {
      if (!missing.delete(id)) found.push(`the list names ${id}, which is not to be there, or there twice`);
    }
    if (read.length + unreadable.length === 0) break;
  }
  for (const id of missing) found.push(`${held.get(id)?.id}: is not on the list`);
  return found;
};
