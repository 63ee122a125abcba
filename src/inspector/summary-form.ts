import { type SessionForm, toWireOptions, toWireWork } from '../endpoints/wire-session.js';
import type { SessionSummary } from '../session/session-event.js';

/** The fields of a row: the complete options and the history may be much longer. */
export const rowOf = (session: SessionSummary) => {
  const { id, status, endReason, createdAt, duration } = session;
  const { face, profile, time_limit } = toWireOptions(session.options);
  const options = { face, profile, time_limit };
  return {
    id,
    status,
    end_reason: endReason,
    options,
    created_at: createdAt,
    duration,
    work: toWireWork(session).work,
    usage: session.usage,
    budget: session.budget,
  };
};

export const detailOf = (session: SessionSummary) => ({
  ...rowOf(session),
  options: toWireOptions(session.options),
  labels: session.labels,
  metadata: session.metadata,
  holder: session.lease?.holder,
  lease_until: session.lease?.until,
  inbox: session.inbox,
  entries: session.historyCount,
  started_at: session.startedAt,
  ended_at: session.endedAt,
  updated_at: session.updatedAt,
});

/** Sessions with their end reason and without their history, which the page reads in parts. */
export const summaryForm: SessionForm = {
  historyLimit: 0,
  leases: true,
  session: detailOf,
  snapshot: detailOf,
  summary: detailOf,
  item: rowOf,
};
