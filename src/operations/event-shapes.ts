import { isFields } from '../input/parse-fields.js';
import type { SessionService } from '../service/session-service.js';
import { positionForm } from '../session/event-position.js';
import type {
  PlainEventType,
  SessionChange,
  SessionEvent,
  SessionEventType,
  SessionExpiring,
} from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { commonErrors, errorsOf, operation } from './operation.js';
import { endReason, historyPosition, labels, session } from './outputs.js';
import { historyLimit } from './parameters.js';
import { instant, list, named, object, oneOf, type Shape, seconds, text, whole, withOptional } from './shape.js';

/** Id of the last event of a stream. A client that reconnects with it has received everything. */
export const END_ID = 'end';

type Event<T extends SessionEventType> = Extract<SessionEvent, { readonly type: T }>;

/** The fields that the data of every event contains. The position is sent as the id of the Server-Sent Event. */
type EventData<T extends SessionEventType> = Omit<Event<T>, 'tenant' | 'sessionId' | 'position'>;

const common = <T extends SessionEventType>(...types: readonly T[]) => ({
  id: text,
  type: oneOf(types),
  sequence: whole(1),
  at: instant,
});

const plainEvent: Shape<EventData<PlainEventType>> = named(
  'SessionEvent',
  object(common('session.created', 'session.started', 'session.paused', 'session.resumed', 'session.deleted')),
);

const extendedEvent: Shape<EventData<'session.extended'>> = named(
  'SessionExtendedEvent',
  withOptional(object({ ...common('session.extended'), timeLimit: seconds }), { endsAt: instant }),
);

const redactedEvent: Shape<EventData<'session.redacted'>> = named(
  'SessionRedactedEvent',
  object({ ...common('session.redacted'), positions: list(historyPosition) }),
);

const updatedEvent: Shape<EventData<'session.updated'>> = named(
  'SessionUpdatedEvent',
  object({ ...common('session.updated'), labels }),
);

const appendedEvent: Shape<EventData<'session.appended'>> = named(
  'SessionAppendedEvent',
  withOptional(object({ ...common('session.appended'), historyPosition }, { historyPosition: 'position' }), {
    after: historyPosition,
  }),
);

const leaseEvent: Shape<EventData<'session.leased' | 'session.released'>> = named(
  'SessionLeaseEvent',
  object({ ...common('session.leased', 'session.released'), holder: text }),
);

const terminatedEvent: Shape<EventData<'session.terminated'>> = named(
  'SessionTerminatedEvent',
  object({ ...common('session.terminated'), endReason }),
);

const expiringEvent: Shape<Omit<SessionExpiring, 'tenant' | 'sessionId' | 'position'>> = named(
  'SessionExpiringEvent',
  object({ type: oneOf(['session.expiring']), at: instant, endsAt: instant, endReason }),
);

/** The data of each event of a session, by event type. */
export const eventShapes = {
  'session.created': plainEvent,
  'session.started': plainEvent,
  'session.paused': plainEvent,
  'session.resumed': plainEvent,
  'session.deleted': plainEvent,
  'session.extended': extendedEvent,
  'session.updated': updatedEvent,
  'session.redacted': redactedEvent,
  'session.appended': appendedEvent,
  'session.leased': leaseEvent,
  'session.released': leaseEvent,
  'session.terminated': terminatedEvent,
  'session.expiring': expiringEvent,
} as const satisfies Readonly<Record<SessionEventType | 'session.expiring', unknown>>;

/**
 * Sent when the session has ended or was deleted; after a deletion it has no reason. Never without data, because
 * browsers ignore such events.
 */
export const streamEnd: Shape<{ readonly endReason: EndReason | undefined }> = named('StreamEnd', {
  schema: {
    type: 'object',
    properties: { end_reason: endReason.schema },
    additionalProperties: false,
  },
  components: endReason.components,
  read: (value) => (isFields(value) ? { endReason: endReason.read(value['end_reason']) } : undefined),
  write: ({ endReason: reason }) => ({ end_reason: reason }),
});

export const streamUnavailable: Shape<{ readonly code: string }> = named('StreamUnavailable', object({ code: text }));

export const watch = operation({
  name: 'watchSession',
  tag: 'Events',
  method: 'GET',
  path: '/session/{session_id}/events',
  query: { warnBefore: { kind: 'whole', least: 1 }, historyLimit },
  headers: {
    from: {
      wireName: 'Last-Event-ID',
      schema: { type: 'string', pattern: `^(?:${END_ID})?$|${positionForm.source}` },
    },
  },
  errors: errorsOf<SessionService['watch'], 'too_many_streams'>()([...commonErrors, 'not_found', 'too_many_streams']),
  output: {
    status: 200,
    events: {
      'session.snapshot': session,
      ...eventShapes,
      end: streamEnd,
      unavailable: streamUnavailable,
    } satisfies Readonly<Record<SessionChange['type'] | 'end' | 'unavailable', Shape<unknown>>>,
  },
  otherOutput: { status: 204 },
});
