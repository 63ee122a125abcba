import { historyLimit } from '../input/list-query.js';
import { warnAt, wholeWarning } from '../input/watch-options.js';
import { about, like, named, optional, type Schema } from '../schema/schema.js';
import { anyText, oneOf } from '../schema/values.js';
import { count, instant, wireList, wireObject } from '../schema/wire.js';
import type { RemoteSession, RemoteSummary } from '../service/remote-results.js';
import type { SessionService } from '../service/session-service.js';
import type { Message } from '../session/message.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionChange, SessionExpiring } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { watchCursorForm } from '../session/watch-cursor.js';
import { endpoint, errorsOf, served } from './endpoint.js';
import { message, positionedEntry } from './entry-outputs.js';
import { endReason, sessionFields, sessionSummary } from './outputs.js';

/** Id of the last event of a stream. A client that reconnects with it has received everything. */
export const END_ID = 'end';

interface Waiting {
  readonly messages?: readonly Message[];
}

const waiting = {
  messages: optional(
    about('The messages that wait, oldest first. Absent if none do.', wireList(message)),
  ),
};

const snapshot: Schema<RemoteSession & Waiting> = named(
  'SessionSnapshotEvent',
  about(
    'A Session as it is at this event, with the messages that wait if the host shows `work`.',
    wireObject({ ...sessionFields, ...waiting }),
  ),
);

const expiring: Schema<Omit<SessionExpiring, 'tenant' | 'sessionId' | 'cursor'>> = named(
  'SessionExpiringEvent',
  about(
    'The clock or a budget ends the session soon.',
    wireObject({
      type: oneOf(['session.expiring']),
      at: instant,
      endsAt: optional(about('When the clock ends it, if no command does before.', instant)),
      endReason,
      counter: optional(about('The counter of the budget that ends it.', anyText)),
    }),
  ),
);

interface Changed extends Waiting {
  readonly type: 'session.changed';
  readonly session: RemoteSummary;
  readonly entries: readonly PositionedEntry[];
  readonly sequence: number;
}

const changed: Schema<Changed> = named(
  'SessionChangedEvent',
  about(
    'The session has changed, once or more often.',
    wireObject({
      type: oneOf(['session.changed']),
      session: sessionSummary,
      entries: about(
        'The new entries at the end of the history, oldest first; may be none.',
        wireList(positionedEntry),
      ),
      ...waiting,
      sequence: about('The number of the last change within the session.', count(1)),
    }),
  ),
);

const deleted: Schema<{ readonly type: 'session.deleted' }> = named(
  'SessionDeletedEvent',
  about('The session was deleted.', wireObject({ type: oneOf(['session.deleted']) })),
);

/** The data of each item of a watch. */
export const changeData = {
  'session.snapshot': snapshot,
  'session.changed': changed,
  'session.deleted': deleted,
  'session.expiring': expiring,
} as const;

/**
 * Sent when the session has ended or was deleted; after a deletion it has no reason. Never without
 * data, because browsers ignore such events.
 */
export const streamEnd: Schema<{ readonly endReason?: EndReason }> = named(
  'StreamEnd',
  about(
    'The last event: the session has ended, or is deleted and has no end_reason.',
    wireObject({ endReason: optional(endReason) }),
  ),
);

export const streamUnavailable: Schema<{ readonly code: string }> = named(
  'StreamUnavailable',
  about(
    'The last event of a stream whose store cannot be reached.',
    wireObject({ code: like('store_unavailable', anyText) }),
  ),
);

export const watch = endpoint({
  method: 'GET',
  path: '/session/{session_id}/events',
  headers: {
    cursor: {
      wireName: 'Last-Event-ID',
      json: { type: 'string', pattern: `^(?:${END_ID})?$|${watchCursorForm.source}` },
    },
  },
  errors: errorsOf<SessionService['watch'], 'too_many_streams'>()([
    'not_found',
    'too_many_streams',
  ]),
  output: {
    status: 200,
    description: 'The events until the session ends. Lines that begin with a colon are heartbeats.',
    events: {
      ...changeData,
      end: streamEnd,
      unavailable: streamUnavailable,
    } satisfies Readonly<Record<SessionChange['type'] | 'end' | 'unavailable', Schema<unknown>>>,
  },
  otherOutput: {
    status: 204,
    description: 'The stream has ended, and the client has received its end.',
  },
});

export const servedWatch = served(watch, {
  name: 'watchSession',
  tag: 'Events',
  query: { warnBefore: wholeWarning, warnAt, historyLimit },
});
