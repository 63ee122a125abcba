import { type SessionForm, toWireOptions } from '../operations/session-form.js';
import type { Session } from '../session/session.js';

/** The fields of a session that a row of the list shows. The texts and the history may be much longer. */
export const rowOf = (session: Session) => {
  const { id, status, endReason, createdAt, duration } = session;
  const { face, profile, time_limit } = toWireOptions(session.options);
  const options = { face, profile, time_limit };
  return { id, status, end_reason: endReason, options, created_at: createdAt, duration };
};

const more = ({ duration, labels, historyCount }: Session) => ({ duration, labels, entries: historyCount });

export const detailOf = (session: Session) => ({
  ...rowOf(session),
  options: toWireOptions(session.options),
  ...more(session),
});

/** Sessions with their end reason and without their history, which the page reads in parts. */
export const summaryForm: SessionForm = {
  historyLimit: 0,
  session: detailOf,
  snapshot: (session) => ({ ...rowOf(session), options: toWireOptions(session.options), duration: undefined }),
  more,
  item: rowOf,
};
