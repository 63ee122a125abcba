import type { Session, SessionOptions } from '../session/session.js';

/** A session's options with their names on the wire. */
export const toWireOptions = ({ face, profile, context, behavior, timeLimit }: SessionOptions) => ({
  face,
  profile,
  context,
  behavior,
  time_limit: timeLimit,
});

/** A session with the names of its fields on the wire. */
export const toWireSession = ({
  id,
  status,
  options,
  history,
  createdAt,
  duration,
}: Pick<Session, 'id' | 'status' | 'options' | 'history' | 'createdAt' | 'duration'>) => ({
  id,
  status,
  options: toWireOptions(options),
  history,
  created_at: createdAt,
  duration,
});

/** The times of a session beyond those of the interface, with their names on the wire. */
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

/** How a handler writes sessions. */
export interface SessionForm {
  /** Maximum number of history entries in an answer, whatever the request asks for. */
  readonly historyLimit?: number;
  /** Writes the session of a `get` or of a snapshot: last its `duration`, and then the fields of `more`. */
  readonly session: (session: Session) => object;
  /** Writes the fields of `session` behind the duration. */
  readonly more: (session: Session) => object;
  /** Writes one session of a list. */
  readonly item: (session: Session) => object;
}

const nothing = Object.freeze({});

/** The form with the six fields of the interface, and what the host shows beyond them. */
export const wireForm = (shown: { readonly labels: boolean; readonly times: boolean }): SessionForm => {
  if (!shown.labels && !shown.times) return { session: toWireSession, more: () => nothing, item: toWireSession };
  const more = (session: Session) => ({
    ...(shown.labels && { labels: session.labels }),
    ...(shown.times && toWireTimes(session)),
  });
  const write = (session: Session) => ({ ...toWireSession(session), ...more(session) });
  return { session: write, more, item: write };
};
