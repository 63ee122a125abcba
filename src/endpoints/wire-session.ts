import type { WireFields } from '../service/remote-results.js';
import type { HistoryEntry, Session, SessionOptions } from '../session/session.js';
import type { SessionSummary } from '../session/session-event.js';

/**
 * A session's options with their names on the wire. Written out, because a page contains many, and
 * writing them by their schema is many times slower.
 */
export const toWireOptions = ({ face, profile, context, behavior, timeLimit }: SessionOptions) => ({
  face,
  profile,
  context,
  behavior,
  time_limit: timeLimit,
});

const hasMore = ({ id, data, turn }: HistoryEntry): boolean =>
  id !== undefined || data !== undefined || turn !== undefined;

const toWireHistory = (history: readonly HistoryEntry[]): readonly HistoryEntry[] =>
  history.some(hasMore)
    ? history.map(({ role, content, timestamp }) => ({ role, content, timestamp }))
    : history;

/** A session with the names of its fields on the wire, and entries with all of theirs. */
export const toWholeSession = ({
  id,
  status,
  options: given,
  history,
  createdAt,
  duration,
}: WireFields) => ({
  id,
  status,
  options: toWireOptions(given),
  history,
  created_at: createdAt,
  duration,
});

type SummaryFields = Omit<WireFields, 'history'> & Pick<SessionSummary, 'endReason'>;

/**
 * A session without its history, with the names of its fields on the wire, and the reason of its
 * end.
 */
export const toWireSummary = ({
  id,
  status,
  options: given,
  createdAt,
  duration,
  endReason,
}: SummaryFields) => ({
  id,
  status,
  options: toWireOptions(given),
  created_at: createdAt,
  duration,
  end_reason: endReason,
});

const toWireSession = (session: WireFields) => ({
  ...toWholeSession(session),
  history: toWireHistory(session.history),
});

const toWireTimes = ({
  startedAt,
  endsAt,
  endedAt,
  updatedAt,
  durationMs,
}: Pick<Session, 'startedAt' | 'endsAt' | 'endedAt' | 'updatedAt' | 'durationMs'>) => ({
  started_at: startedAt,
  ends_at: endsAt,
  ended_at: endedAt,
  updated_at: updatedAt,
  duration_ms: durationMs,
});

export const toWireWork = ({ inbox, work }: Partial<Pick<Session, 'inbox' | 'work'>>) => ({
  inbox,
  work: work && {
    state: work.state,
    since: work.since,
    attempt: work.attempt,
    next_at: work.nextAt,
    error: work.error,
  },
});

/** The functions with which a handler writes sessions. */
export interface SessionForm {
  /** Maximum number of history entries in an answer, even if the request asks for more. */
  readonly historyLimit?: number;
  /** Whether the form shows the lease of a session, so that a watch reports leases. */
  readonly leases?: boolean;
  /** Whether a watch shows the messages that wait. */
  readonly messages?: boolean | undefined;
  /** Writes the session of a `get`. */
  readonly session: (session: Session) => object;
  /** Writes a session for a watch, with entries with all of their fields. */
  readonly snapshot: (session: Session) => object;
  /** Writes a session without its history for a watch, with the reason of its end. */
  readonly summary: (session: SessionSummary) => object;
  /** Writes one session of a list. */
  readonly item: (session: Session) => object;
}

export interface ShownFields {
  readonly labels?: boolean | undefined;
  /** The `metadata` and the `revision`. */
  readonly metadata?: boolean | undefined;
  readonly sessionTimes?: boolean | undefined;
  readonly origin?: boolean | undefined;
  /** The `inbox` and the `work`, and in a watch the messages that wait. */
  readonly work?: boolean | undefined;
  /** The `usage` and the `budget`. */
  readonly usage?: boolean | undefined;
  /** The fields of history entries beyond the three of the interface. */
  readonly entryData?: boolean | undefined;
}

/** The form with the six fields of the interface, and the additional fields that the host shows. */
export const wireForm = ({
  labels,
  metadata,
  sessionTimes,
  origin,
  work,
  usage,
  entryData,
}: ShownFields): SessionForm => {
  const six = entryData ? toWholeSession : toWireSession;
  const more = (session: SessionSummary) => ({
    ...(labels && { labels: session.labels }),
    ...(metadata && { metadata: session.metadata, revision: session.revision }),
    ...(sessionTimes && toWireTimes(session)),
    ...(origin && { origin: session.origin }),
    ...(work && toWireWork(session)),
    ...(usage && { usage: session.usage, budget: session.budget }),
  });
  const write = (session: Session) => ({ ...six(session), ...more(session) });
  return {
    messages: work,
    session: write,
    snapshot: (session) => ({ ...toWholeSession(session), ...more(session) }),
    summary: (session) => ({ ...toWireSummary(session), ...more(session) }),
    item: write,
  };
};
