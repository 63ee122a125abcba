import type { SessionRecord } from '../../src/session/record.js';
import { decodeJournal } from './journal-text.js';
import { decodeState } from './state-text.js';

/** What the two strings of a session say: `missing` if neither is there, `corrupt` if they make no session. */
export const decodeRecord = (
  state: string | null | undefined,
  journal: string | null | undefined,
): SessionRecord | 'missing' | 'corrupt' => {
  if (typeof state !== 'string' || typeof journal !== 'string') return state || journal ? 'corrupt' : 'missing';
  const decoded = decodeJournal(journal);
  const current = decodeState(state);
  if (decoded === undefined || current === undefined) return 'corrupt';
  return { head: decoded.head, state: current, history: decoded.history };
};

/** The same for the strings of a session that was asked for by its id. */
export const decodeRecordOf = (
  id: string,
  state: string | null | undefined,
  journal: string | null | undefined,
): SessionRecord | 'missing' | 'corrupt' => {
  const record = decodeRecord(state, journal);
  return typeof record === 'object' && record.head.id !== id ? 'corrupt' : record;
};
