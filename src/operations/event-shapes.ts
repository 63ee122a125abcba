import type { SessionService } from '../service/session-service.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionChange, SessionExpiring } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { watchCursorForm } from '../session/watch-cursor.js';
import { errorsOf, operation } from './operation.js';
import {
  endReason,
  positionedEntry,
  type RemoteSummary,
  session,
  sessionSummary,
} from './outputs.js';
import { historyLimit } from './parameters.js';
import { instant, list, named, object, oneOf, type Shape, text, whole } from './shape.js';

/** Id of the last event of a stream. A client that reconnects with it has received everything. */
export const END_ID = 'end';

const expiring: Shape<Omit<SessionExpiring, 'tenant' | 'sessionId' | 'cursor'>> = named(
  'SessionExpiringEvent',
  object({ type: oneOf(['session.expiring']), at: instant, endsAt: instant, endReason }),
);

const changed: Shape<{
  readonly type: 'session.changed';
  readonly session: RemoteSummary;
  readonly entries: readonly PositionedEntry[];
  readonly sequence: number;
}> = named(
  'SessionChangedEvent',
  object({
    type: oneOf(['session.changed']),
    session: sessionSummary,
    entries: list(positionedEntry),
    sequence: whole(1),
  }),
);

const deleted: Shape<{ readonly type: 'session.deleted' }> = named(
  'SessionDeletedEvent',
  object({ type: oneOf(['session.deleted']) }),
);

/** The data of each item of a watch but a snapshot. */
export const changeShapes = {
  'session.changed': changed,
  'session.deleted': deleted,
  'session.expiring': expiring,
} as const;

/**
 * Sent when the session has ended or was deleted; after a deletion it has no reason. Never without
 * data, because browsers ignore such events.
 */
export const streamEnd: Shape<{ readonly endReason?: EndReason | undefined }> = named(
  'StreamEnd',
  object({}, { endReason }),
);

export const streamUnavailable: Shape<{ readonly code: string }> = named(
  'StreamUnavailable',
  object({ code: text }),
);

export const watch = operation({
  name: 'watchSession',
  tag: 'Events',
  method: 'GET',
  path: '/session/{session_id}/events',
  query: { warnBefore: { kind: 'whole', least: 1 }, historyLimit },
  headers: {
    cursor: {
      wireName: 'Last-Event-ID',
      schema: { type: 'string', pattern: `^(?:${END_ID})?$|${watchCursorForm.source}` },
    },
  },
  errors: errorsOf<SessionService['watch'], 'too_many_streams'>()([
    'not_found',
    'too_many_streams',
  ]),
  output: {
    status: 200,
    events: {
      'session.snapshot': session,
      ...changeShapes,
      end: streamEnd,
      unavailable: streamUnavailable,
    } satisfies Readonly<Record<SessionChange['type'] | 'end' | 'unavailable', Shape<unknown>>>,
  },
  otherOutput: { status: 204 },
});
