import type {
  Appended,
  ClaimedSession,
  Claims,
  HistoryPart,
  SessionPage,
  WaitingCount,
} from '../service/operation-results.js';
import { isFields } from '../session/fields.js';
import { isLabels } from '../session/labels.js';
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  PositionedEntry,
  Session,
  SessionLabels,
  SessionLease,
  SessionOrigin,
  SessionState,
} from '../session/session.js';
import {
  type EndReason,
  endReasons,
  type SessionStatus,
  sessionStatuses,
} from '../session/session-status.js';
import { options, type WireFields } from './session-form.js';
import {
  bool,
  instant,
  list,
  named,
  object,
  oneOf,
  plain,
  type Shape,
  type Shapes,
  text,
  whole,
} from './shape.js';

/**
 * The shapes of responses have no limits, because a session may have been created under other
 * limits.
 */

/** What a host may show beyond the six fields. */
type Shown = Pick<
  Session,
  | 'labels'
  | 'metadata'
  | 'revision'
  | 'origin'
  | 'durationMs'
  | 'startedAt'
  | 'endsAt'
  | 'endedAt'
  | 'updatedAt'
>;

/**
 * A session on the wire: six fields, without the reason of its end. `terminate` and `fail` return
 * the reason, also for a session that has already ended. `labels`, `metadata` with the `revision`,
 * `origin` and the times are there if the host shows them, with its options `labels`, `metadata`,
 * `origin` and `sessionTimes`. Every `Session` of the library is a `RemoteSession`.
 */
export interface RemoteSession extends WireFields, Partial<Shown> {}

/** A session without its history, with the reason of its end. */
export interface RemoteSummary extends Omit<RemoteSession, 'history'> {
  /** Why the session has ended; absent before the end. */
  readonly endReason?: EndReason;
}

/**
 * A session that was created by this request, or by an earlier one with the same idempotency key.
 * Only the id is returned.
 */
export interface RemoteCreated {
  /** The id of the session. */
  readonly id: string;
  /**
   * Present if an earlier request with this idempotency key, or an attempt of this call, created
   * the session.
   */
  readonly repeated?: true;
}

/** The response header of a repeated request, which changed nothing. */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

/** A page of a list, as the client reads it. */
export type RemotePage = Omit<SessionPage, 'sessions'> & {
  /** The sessions in the order of the list. */
  readonly sessions: readonly RemoteSession[];
  /** Ids of sessions on this page whose history was cut by `historyLimit`. */
  readonly truncated: readonly string[];
};

const id = text;
const duration = whole();

export const sessionStatus = named('SessionStatus', oneOf(sessionStatuses));
export const endReason = named('EndReason', oneOf(endReasons));

const historyPosition = whole();

const json: Shape<JsonValue> = plain({}, (value): value is JsonValue => value !== undefined);

const entryFields = { role: text, content: text, timestamp: instant };
const entryMore = { id: text, data: json };

const entry: Shape<HistoryEntry> = named('HistoryEntry', object(entryFields, entryMore));

export const positionedEntry: Shape<PositionedEntry> = named(
  'PositionedHistoryEntry',
  object({ ...entryFields, position: historyPosition }, entryMore),
);

const summaryFields = { id, status: sessionStatus, options, createdAt: instant, duration };

const origin: Shape<SessionOrigin> = named(
  'SessionOrigin',
  object({ id, position: historyPosition }),
);

const labels: Shape<SessionLabels> = plain(
  { type: 'object', additionalProperties: text.schema },
  isLabels,
);

const metadata: Shape<JsonObject> = plain({ type: 'object' }, (value): value is JsonObject =>
  isFields(value),
);

const revision = whole(1);

const shown: Shapes<Required<Shown>> = {
  labels,
  metadata,
  revision,
  origin,
  startedAt: instant,
  endsAt: instant,
  endedAt: instant,
  updatedAt: instant,
  durationMs: whole(),
};

const sessionFields = { ...summaryFields, history: list(entry) };

export const session: Shape<RemoteSession> = named('Session', object(sessionFields, shown));

export const sessionSummary: Shape<RemoteSummary> = named(
  'SessionSummary',
  object(summaryFields, { ...shown, endReason }),
);

export const sessions: Shape<readonly RemoteSession[]> = list(session);

/** The result of `getOrCreate` over HTTP. */
export interface RemoteGetOrCreateResult extends RemoteSession {
  /** Whether this request has created the session. */
  readonly created: boolean;
}

export const getOrCreateResult: Shape<RemoteGetOrCreateResult> = named(
  'GetOrCreateResult',
  object({ ...sessionFields, created: bool }, shown),
);

export const created: Shape<RemoteCreated> = named(
  'CreatedSession',
  object({ id }, {}, { id: 'session_id' }),
);

export const appended: Shape<Appended> = named(
  'AppendedHistory',
  object({ position: historyPosition }),
);

export const historyPart: Shape<HistoryPart> = named(
  'HistoryPart',
  object({
    entries: list(positionedEntry),
    start: whole(),
    position: whole(),
    hasMore: bool,
    limit: whole(1),
  }),
);

export const sessionLease: Shape<SessionLease> = named(
  'SessionLease',
  object({ holder: text, fencingToken: whole(1), until: instant }),
);

/** A session that was claimed over HTTP. */
export interface RemoteClaimedSession extends Omit<ClaimedSession, 'session' | 'tenant'> {
  /** The session with the latest entries of its history, by default none. */
  readonly session: RemoteSession;
}

/** The result of `claim` over HTTP. */
export interface RemoteClaims extends Omit<Claims, 'claimed'> {
  /** The longest waiting first. */
  readonly claimed: readonly RemoteClaimedSession[];
}

const claimedSession: Shape<RemoteClaimedSession> = named(
  'ClaimedSession',
  object(
    {
      session,
      start: whole(),
      position: historyPosition,
      lease: sessionLease,
      attempt: whole(1),
      waitingSince: instant,
    },
    { isAlone: bool },
  ),
);

export const claims: Shape<RemoteClaims> = named(
  'Claims',
  object({ claimed: list(claimedSession), unreadable: list(text), limit: whole(1) }),
);

export const waitingCount: Shape<WaitingCount> = named(
  'WaitingCount',
  object({ count: whole(), limit: whole(1) }),
);

const open = sessionStatuses.filter(
  (status): status is Exclude<SessionStatus, 'TERMINATED'> => status !== 'TERMINATED',
);

const durationMs = whole();

const stateFields = { id, status: sessionStatus, duration, durationMs, revision };
const started = { startedAt: instant };

const openState = object({ ...stateFields, status: oneOf(open) }, { ...started, endsAt: instant });

const endedState = object(
  { ...stateFields, status: oneOf(['TERMINATED']), endReason },
  { ...started, endedAt: instant },
);

const anyState = object(stateFields, {
  endReason,
  ...started,
  endsAt: instant,
  endedAt: instant,
});

export const sessionState: Shape<SessionState> = named<SessionState>('SessionState', {
  schema: { oneOf: [openState.schema, endedState.schema] },
  components: endedState.components,
  read: (value) => openState.read(value) ?? endedState.read(value),
  write: anyState.write,
});
