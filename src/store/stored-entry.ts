import type { Mutable } from '../session/members.js';
import type { HistoryEntry } from '../session/session.js';

/** An entry with the fields of a `HistoryEntry` alone. */
export const plainEntry = (entry: HistoryEntry): HistoryEntry => {
  const { role, content, timestamp, id, data, turn, message } = entry;
  const plain: Mutable<HistoryEntry> = { role, content, timestamp };
  if (id !== undefined) plain.id = id;
  if (data !== undefined) plain.data = data;
  if (message !== undefined) plain.message = message;
  if (turn !== undefined) plain.turn = turn;
  return plain;
};

export const redactedEntry = ({ role, timestamp, message, turn }: HistoryEntry): HistoryEntry => ({
  role,
  content: '',
  timestamp,
  ...(message !== undefined && { message }),
  ...(turn !== undefined && { turn }),
});

export const isRedacted = ({ content, id, data }: HistoryEntry): boolean =>
  content === '' && id === undefined && data === undefined;
