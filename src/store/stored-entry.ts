import type { HistoryEntry } from '../session/session.js';

/** An entry with the fields of a `HistoryEntry` alone. */
export const plainEntry = ({ role, content, timestamp, id, data }: HistoryEntry): HistoryEntry => {
  const entry = { role, content, timestamp };
  if (id === undefined && data === undefined) return entry;
  return { ...entry, ...(id !== undefined && { id }), ...(data !== undefined && { data }) };
};

/** An entry after its redaction. */
export const redactedEntry = ({ role, timestamp }: HistoryEntry): HistoryEntry => ({
  role,
  content: '',
  timestamp,
});

/** Whether an entry has nothing to redact. */
export const isRedacted = ({ content, id, data }: HistoryEntry): boolean =>
  content === '' && id === undefined && data === undefined;
