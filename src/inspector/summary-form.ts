import { type SessionForm, toWireOptions } from '../operations/session-form.js';
import type { Session } from '../session/session.js';

const endReasonOf = (session: Session): string | undefined =>
  session.status === 'TERMINATED' ? session.endReason : undefined;

/** One session of a list: what a row shows. The texts and the history may be a thousand times as long. */
const rowOf = (session: Session) => {
  const { id, status, createdAt, duration } = session;
  const { face, profile, time_limit } = toWireOptions(session.options);
  const options = { face, profile, time_limit };
  return { id, status, end_reason: endReasonOf(session), options, created_at: createdAt, duration };
};

/** Sessions without their histories, which the page reads by parts, and with the reason of their end. */
export const summaryForm: SessionForm = {
  historyLimit: 0,
  session: (session) => ({ ...rowOf(session), options: toWireOptions(session.options), entries: session.historyCount }),
  item: rowOf,
};
