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

/** How a handler writes sessions. */
export interface SessionForm {
  /** Maximum number of history entries in an answer, whatever the request asks for. */
  readonly historyLimit?: number;
  /** Writes the session of a `get` or of a snapshot. */
  readonly session: (session: Session) => unknown;
  /** Writes one session of a list. */
  readonly item: (session: Session) => unknown;
}

export const wireForm: SessionForm = { session: toWireSession, item: toWireSession };

const toLabelledSession = (session: Session) => ({ ...toWireSession(session), labels: session.labels });

export const labelledForm: SessionForm = { session: toLabelledSession, item: toLabelledSession };
