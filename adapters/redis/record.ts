import type { SessionRecord } from '../../src/session/record.js';
import { decodeJournal } from './journal-text.js';
import { decodeState } from './state-text.js';

/** What the two strings of a session say: `missing` if neither is there, `corrupt` if they make no session. */
export const decodeRecord = (
  id: string,
  state: string | null | undefined,
  journal: string | null | undefined,
): SessionRecord | 'missing' | 'corrupt' => {
  if (typeof state !== 'string' || typeof journal !== 'string') return state || journal ? 'corrupt' : 'missing';
  const decoded = decodeJournal(journal);
  const current = decodeState(state);
  if (decoded === undefined || current === undefined || decoded.head.id !== id) return 'corrupt';
  return { head: decoded.head, state: current, history: decoded.history };
};
