import type { Appended, HistoryPart } from '../service/history.js';
import type { SessionPage } from '../service/list-sessions.js';
import type { HistoryEntry, Session, SessionOptions, SessionState } from '../session/session.js';
import { endReasons, type SessionStatus, sessionStatuses } from '../status.js';
import { bool, instant, list, named, object, oneOf, type Shape, seconds, text, whole } from './shape.js';
import { toWireSession } from './wire-session.js';

/**
 * What is answered is described without the bounds of what may be sent: a session may have been created under other ones.
 */

/**
 * A session as the wire has it: six fields, and so not why it has ended. `terminate` answers that, also for a session that
 * had ended before. Every `Session` of the library is one of these.
 */
export type RemoteSession = Pick<Session, 'id' | 'status' | 'duration' | 'options' | 'history' | 'createdAt'>;

/** A session that was created now, or by an earlier request with the same key: its id is all that is answered. */
export type RemoteCreated = Pick<RemoteSession, 'id'>;

export type RemotePage = Omit<SessionPage, 'sessions'> & { readonly sessions: readonly RemoteSession[] };

const id = text('The id of the session.');
const duration = whole('Whole seconds spent ACTIVE, rounded down.');

export const sessionStatus = named('SessionStatus', oneOf(sessionStatuses, 'What a session is doing.'));
export const endReason = named('EndReason', oneOf(endReasons, 'Why the session has ended.'));

export const historyPosition = whole('Where the history stands now: opaque, growing, the same for a repeated append.');

const options: Shape<SessionOptions> = named(
  'SessionOptions',
  object('How a session is configured; it never changes.', {
    face: text('Name of the face.'),
    profile: text('Name of the profile.'),
    context: text('Background facts.'),
    behavior: text('What role the session takes.'),
    timeLimit: seconds('Seconds that the session may be ACTIVE, across pauses; 0 is no limit.'),
  }),
);

const entry: Shape<HistoryEntry> = named(
  'HistoryEntry',
  object('One message of a session.', {
    role: text('Who said it; usually user or assistant.'),
    content: text('What was said.'),
    timestamp: instant('When it was said: UTC.'),
  }),
);

export const session: Shape<RemoteSession> = named('Session', {
  ...object('A session as it is at the moment of reading.', {
    id,
    status: sessionStatus,
    options,
    history: list(entry, 'Oldest first.'),
    createdAt: instant('When it was created: UTC.'),
    duration,
  }),
  // Many sessions are written for one answer: by hand it takes a fraction of the time.
  write: toWireSession,
});

export const sessions: Shape<readonly RemoteSession[]> = list(session);

export const created: Shape<RemoteCreated> = named(
  'CreatedSession',
  object('The session that was created.', { id }, { id: 'session_id' }),
);

export const appended: Shape<Appended> = named(
  'AppendedHistory',
  object('What an append answers.', { position: historyPosition }),
);

export const historyPart: Shape<HistoryPart> = named(
  'HistoryPart',
  object('A part of a history.', {
    entries: list(entry, 'Oldest first.'),
    position: whole('Where the part ends: what comes behind it is read with `after`.'),
    hasMore: bool('Whether there were entries behind it when it was read.'),
  }),
);

const open = sessionStatuses.filter(
  (status): status is Exclude<SessionStatus, 'TERMINATED'> => status !== 'TERMINATED',
);

const openState = object('A session that has not ended.', { id, status: oneOf(open), duration });

const endedState = object('A session that has ended.', {
  id,
  status: oneOf(['TERMINATED']),
  duration,
  endReason,
});

export const sessionState: Shape<SessionState> = named('SessionState', {
  schema: { description: 'Where a session stands.', oneOf: [openState.schema, endedState.schema] },
  components: endedState.components,
  read: (value) => openState.read(value) ?? endedState.read(value),
  write: (state) => (state.status === 'TERMINATED' ? endedState.write(state) : openState.write(state)),
});
