import { getSession, type ListQuery, listSessions, type Outcome } from './requests.js';
import type { SessionPage } from './session-row.js';

const noSessions: SessionPage = { sessions: [], total: 0, next: undefined, unreadable: 0 };

const labelForm = /^[\w.-]+:./;

/**
 * The labels of a search, `name:value` each with spaces between them; one may have spaces in its
 * value. Undefined for an id.
 */
export const labelsIn = (text: string): readonly string[] | undefined => {
  if (!text.includes(':')) return undefined;
  const parts = text.split(/\s+/);
  if (parts.every((part) => labelForm.test(part))) return parts;
  return [text];
};

/**
 * Finds the sessions with a label, given as `name:value`, or with several, or else the session with
 * this id.
 */
export const findSessions = async (
  text: string,
  query: ListQuery,
): Promise<Outcome<SessionPage>> => {
  const labels = labelsIn(text);
  if (labels !== undefined) {
    const labelled = await listSessions({ ...query, labels });
    const isFound = labelled.ok && (labelled.value.total > 0 || 'status' in query);
    if (isFound || (!labelled.ok && labelled.status !== 400)) return labelled;
  }
  const found = await getSession(text);
  if (found.ok) return { ok: true, value: { ...noSessions, sessions: [found.value], total: 1 } };
  // An invalid id cannot belong to a session.
  if (found.status === 404 || found.status === 400) return { ok: true, value: noSessions };
  return found;
};
