import { historyLimit } from '../input/list-query.js';
import { wholeWarning } from '../input/watch-options.js';
import { about, like, named, optional, type Schema } from '../schema/schema.js';
import { anyText, oneOf } from '../schema/values.js';
import { wireList, wireObject } from '../schema/wire-object.js';
import type { RemoteSummary } from '../service/remote-results.js';
import type { SessionService } from '../service/session-service.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionChange, SessionExpiring } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { watchCursorForm } from '../session/watch-cursor.js';
import { positionedEntry } from './entry-outputs.js';
import { endpoint, errorsOf, served } from './operation.js';
import { endReason, session, sessionSummary } from './outputs.js';
import { count, instant } from './wire-values.js';

/** Id of the last event of a stream. A client that reconnects with it has received everything. */
export const END_ID = 'end';

const expiring: Schema<Omit<SessionExpiring, 'tenant' | 'sessionId' | 'cursor'>> = named(
  'SessionExpiringEvent',
  about(
    'The clock ends the session soon.',
    wireObject({
      type: oneOf(['session.expiring']),
      at: instant,
      endsAt: about('When the clock ends it, if no command does before.', instant),
      endReason,
    }),
  ),
);

const changed: Schema<{
  readonly type: 'session.changed';
  readonly session: RemoteSummary;
  readonly entries: readonly PositionedEntry[];
  readonly sequence: number;
}> = named(
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
      sequence: about('The number of the last change within the session.', count(1)),
    }),
  ),
);

const deleted: Schema<{ readonly type: 'session.deleted' }> = named(
  'SessionDeletedEvent',
  about('The session was deleted.', wireObject({ type: oneOf(['session.deleted']) })),
);

/** The data of each item of a watch but a snapshot. */
export const changeData = {
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
      'session.snapshot': session,
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
  query: { warnBefore: wholeWarning, historyLimit },
});
