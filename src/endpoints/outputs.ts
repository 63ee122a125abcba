import { about, like, named, optional, type Schema, typed } from '../schema/schema.js';
import { anyText, flag, oneOf } from '../schema/values.js';
import { count, instant, received, wireList, wireObject } from '../schema/wire.js';
import type { Appended, HistoryPart, Spent, WaitingCount } from '../service/operation-results.js';
import type {
  RemoteClaimedSession,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemoteSession,
  RemoteSummary,
} from '../service/remote-results.js';
import { isCounters } from '../session/counters.js';
import { isFields } from '../session/fields.js';
import { isLabels } from '../session/labels.js';
import type {
  Counters,
  JsonObject,
  SessionLabels,
  SessionLease,
  SessionOptions,
  SessionOrigin,
  SessionState,
  SessionWork,
} from '../session/session.js';
import { endReasons, sessionStatuses } from '../session/session-status.js';
import { entry, message, positionedEntry, yes } from './entry-outputs.js';

const id = like('V1StGXR8_Z5jdHi6B-myT', anyText);
const duration = about('Whole seconds spent ACTIVE, rounded down.', count());
const durationMs = about('Milliseconds spent ACTIVE.', count());
const limit = about('The maximum number that was applied.', like(10, count(1)));

const sessionStatus = named(
  'SessionStatus',
  like('ACTIVE', about('The status of a session.', oneOf(sessionStatuses))),
);

export const endReason = named('EndReason', about('Why the session has ended.', oneOf(endReasons)));

const anyNumber: Schema<number> = typed(
  (value) => typeof value === 'number',
  'must be a number',
  0,
  () => ({ type: 'number', minimum: 0 }),
);

const options: Schema<SessionOptions> = named(
  'SessionOptions',
  about(
    'The configuration of a session, as in CreateSession, with its current time limit.',
    wireObject({
      face: like('ada', anyText),
      profile: like('tutor', anyText),
      context: about('Background facts.', anyText),
      behavior: about('Instructions, such as a system prompt.', anyText),
      timeLimit: about(
        'Seconds that the session may be ACTIVE, across pauses; 0 is no limit.',
        anyNumber,
      ),
    }),
  ),
);

const summaryFields = { id, status: sessionStatus, options, createdAt: instant, duration };

const origin: Schema<SessionOrigin> = named(
  'SessionOrigin',
  about(
    'The session that this session was forked from, and the position in its history where the copy ends.',
    wireObject({
      id,
      position: about('Where the copy ends in the history of that session.', count()),
    }),
  ),
);

const labels: Schema<SessionLabels> = typed(isLabels, 'must be labels', {}, () => ({
  type: 'object',
  additionalProperties: anyText.json(),
}));

const counters: Schema<Counters> = named(
  'Counters',
  about(
    'Whole numbers by counter.',
    typed(isCounters, 'must be counters', {}, () => ({
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 0 },
    })),
  ),
);

const isObject = (value: unknown): value is JsonObject => isFields(value);

/** The OpenAPI document has the JSON Schema of a host in its place. */
const metadata: Schema<JsonObject> = named(
  'SessionMetadata',
  about(
    'Data of the host.',
    typed(isObject, 'must be an object', {}, () => ({ type: 'object' })),
  ),
);

const revision = about(
  'Any write may change it, except an append without usage and a redaction.',
  count(1),
);

const workStates = ['waiting', 'running', 'retrying', 'exhausted'] as const;

const work: Schema<SessionWork> = named(
  'SessionWork',
  about(
    'The work on a session.',
    wireObject({
      state: about('Never running after the lease.', oneOf(workStates)),
      since: instant,
      attempt: about('Number of the running or the last attempt; 0 before the first.', count()),
      nextAt: optional(about('When a worker may claim it, if that is in the future.', instant)),
      error: optional(about('Why the latest attempt has failed.', anyText)),
    }),
  ),
);

const times = {
  startedAt: optional(about('When it was started first.', instant)),
  endsAt: optional(about('When the clock ends it, if no command does before.', instant)),
  endedAt: optional(instant),
};

const shown = {
  labels: optional(about('Names and values to find sessions by.', labels)),
  metadata: optional(metadata),
  revision: optional(revision),
  origin: optional(origin),
  ...times,
  updatedAt: optional(about('When it last changed.', instant)),
  durationMs: optional(durationMs),
  usage: optional(counters),
  budget: optional(counters),
  inbox: optional(about('Number of messages that wait.', count())),
  work: optional(work),
};

export const sessionFields = {
  ...summaryFields,
  history: about('Oldest first.', wireList(entry)),
  ...shown,
};

export const session: Schema<RemoteSession> = named(
  'Session',
  about(
    'A session as it is at the moment of reading. The host decides which optional fields it has.',
    wireObject(sessionFields),
  ),
);

export const sessionSummary: Schema<RemoteSummary> = named(
  'SessionSummary',
  about(
    'A Session without its history, with the reason of its end.',
    wireObject({ ...summaryFields, ...shown, endReason: optional(endReason) }),
  ),
);

export const sessions: Schema<readonly RemoteSession[]> = about(
  'A page of sessions, which may be empty.',
  wireList(session),
);

export const getOrCreateResult: Schema<RemoteGetOrCreateResult> = named(
  'GetOrCreateResult',
  about(
    'The session, and whether this request has created it.',
    wireObject({ ...sessionFields, created: flag }),
  ),
);

export const created: Schema<RemoteCreated> = named(
  'CreatedSession',
  about('The session that was created.', wireObject({ id: { ...id, sentAs: 'session_id' } })),
);

export const spent: Schema<Spent> = named(
  'SpentBudget',
  about('The usage is counted.', wireObject({})),
);

export const appended: Schema<Appended> = named(
  'AppendedHistory',
  about(
    'The result of an append or a rewind.',
    wireObject({
      position: about(
        'The position at the end: opaque, increasing, and the same for a repeated request.',
        like(1, count()),
      ),
    }),
  ),
);

export const historyPart: Schema<HistoryPart> = named(
  'HistoryPart',
  about(
    'A part of a history.',
    wireObject({
      entries: about('Oldest first.', wireList(positionedEntry)),
      start: about(
        'The position before the part, 0 at the beginning of the history: read back from it with `before`.',
        count(),
      ),
      position: about(
        'The position after the part. Send it as `after` to read on.',
        like(1, count()),
      ),
      hasMore: like(false, flag),
      limit,
    }),
  ),
);

export const sessionLease: Schema<SessionLease> = named(
  'SessionLease',
  about(
    'A lease on a session.',
    wireObject({
      holder: like('worker-1', anyText),
      fencingToken: about('Number of the lease, higher than those before it.', count(1)),
      until: about('When the lease ends.', instant),
    }),
  ),
);

const claimedSession: Schema<RemoteClaimedSession> = named(
  'ClaimedSession',
  about(
    'A session and the lease on it.',
    wireObject({
      session,
      start: about('The position before the entries, 0 at the beginning of the history.', count()),
      position: about('The end of the history: send it as `if_position`.', like(1, count())),
      turn: about('Number of the turn, the same in all its attempts.', count(1)),
      messages: about('The messages that the turn answers, oldest first.', wireList(message)),
      woken: optional(about('Present if a wake is a reason for the turn.', yes)),
      lease: sessionLease,
      attempt: about('Number of this claim since the work was last done.', count(1)),
      waitingSince: about('Since when the session has waited for this claim.', instant),
      isAlone: optional(
        about(
          'Present if the lease before this one has run out without a release: its holder may have crashed because of this session. No other session is claimed with it.',
          flag,
        ),
      ),
    }),
  ),
);

export const claims: Schema<RemoteClaims> = named(
  'Claims',
  about(
    'The sessions that were claimed; none if none waits.',
    wireObject({
      claimed: about('The longest waiting first.', wireList(claimedSession)),
      unreadable: about(
        'Ids of sessions that wait for a worker but cannot be read.',
        like([], wireList(anyText)),
      ),
      limit,
    }),
  ),
);

export const waitingCount: Schema<WaitingCount> = named(
  'WaitingCount',
  about(
    'How many sessions wait for a worker.',
    wireObject({
      count: about('Number of sessions; `limit` if there are more.', like(3, count())),
      limit: about('The number up to which sessions are counted.', like(10_000, count(1))),
    }),
  ),
);

const { startedAt, endsAt, endedAt } = times;

const stateFields = {
  id,
  status: sessionStatus,
  duration,
  durationMs,
  revision,
  usage: shown.usage,
};

const openState = wireObject({
  ...stateFields,
  status: like('ACTIVE', oneOf(['IDLE', 'ACTIVE', 'PAUSED'])),
  startedAt,
  endsAt,
});

const endedState = wireObject({
  ...stateFields,
  status: oneOf(['TERMINATED']),
  endReason,
  startedAt,
  endedAt,
});

const anyState = wireObject({ ...stateFields, endReason: optional(endReason), ...times });

export const sessionState: Schema<SessionState> = named(
  'SessionState',
  about('The current state of the session.', {
    ...anyState,
    oneOf: [openState, endedState],
    read: (issues, path, value) =>
      received(openState, value) ?? endedState.read(issues, path, value),
  }),
);
