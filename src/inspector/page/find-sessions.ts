import { getSession, type ListQuery, listSessions, type Outcome } from './requests.js';
import type { SessionPage } from './sessions.js';

const none: SessionPage = { sessions: [], total: 0, next: undefined, unreadable: 0 };

/** Finds the sessions with a label, given as `name:value`, or else the session with this id. */
export const findSessions = async (text: string, query: ListQuery): Promise<Outcome<SessionPage>> => {
  if (text.includes(':')) {
    const labelled = await listSessions({ ...query, label: text });
    const isLabel = labelled.ok ? labelled.value.total > 0 : labelled.status !== 400;
    if (isLabel) return labelled;
  }
  const found = await getSession(text);
  if (found.ok) return { ok: true, value: { ...none, sessions: [found.value], total: 1 } };
  // An id that breaks the rules of ids is that of no session.
  return found.status === 404 || found.status === 400 ? { ok: true, value: none } : found;
};
