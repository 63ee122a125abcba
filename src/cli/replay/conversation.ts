import { err, ok, type Result } from 'neverthrow';
import { isFields } from '../../input/values.js';
import type { Session } from '../../session/session.js';

/** One message of a conversation. */
export interface Turn {
  readonly role: string;
  readonly content: string;
}

/** A conversation that was held somewhere, to be held again. */
export interface Conversation {
  readonly id: string;
  readonly turns: readonly Turn[];
}

const isTurn = (value: unknown): value is Turn =>
  isFields(value) && typeof value['role'] === 'string' && typeof value['content'] === 'string';

/** Reads a line of the input: `{"id", "turns": [{"role", "content"}]}`. The error says what is wrong with it. */
export const parseConversation = (line: string): Result<Conversation, string> => {
  try {
    const value: unknown = JSON.parse(line);
    if (!isFields(value)) return err('is no JSON object');
    const { id, turns } = value;
    if (typeof id !== 'string') return err('has no id that is a string');
    if (!Array.isArray(turns) || turns.length === 0) return err('has no turns');
    return turns.every(isTurn) ? ok({ id, turns }) : err('has a turn without a role and a content that are strings');
  } catch {
    return err('is no JSON');
  }
};

/** How a session that was read back differs from the conversation that it was fed, in a line each. */
export const differences = (conversation: Conversation, session: Session): string[] => {
  const found: string[] = [];
  const compare = (what: string, actual: unknown, expected: unknown): void => {
    if (actual !== expected) {
      found.push(`${conversation.id}: ${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
    }
  };
  compare('status', session.status, 'TERMINATED');
  if (session.status === 'TERMINATED') compare('the reason of its end', session.endReason, 'terminated');
  compare('the number of entries', session.history.length, conversation.turns.length);
  conversation.turns.forEach(({ role, content }, index) => {
    const entry = session.history[index];
    if (entry === undefined) return;
    compare(`the role of entry ${index + 1}`, entry.role, role);
    compare(`the content of entry ${index + 1}`, entry.content, content);
  });
  return found;
};
