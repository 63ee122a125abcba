import type { SessionChange, SessionEvent, SessionEventType } from '../events/event.js';
import { positionForm } from '../events/position.js';
import { isFields } from '../input/values.js';
import type { SessionService } from '../service/session-service.js';
import type { EndReason } from '../status.js';
import { errorsOf, operation } from './operation.js';
import { endReason, historyPosition, session } from './outputs.js';
import { instant, named, object, oneOf, type Shape, text, whole } from './shape.js';

/** The id of a stream's last event: a client that comes back with it has seen everything. */
export const END_ID = 'end';

type Event<T extends SessionEventType> = Extract<SessionEvent, { readonly type: T }>;
type PlainType = Exclude<SessionEventType, 'session.terminated' | 'session.appended'>;

/** What the data of every event holds; the event's position is its id in the stream. */
type EventData<T extends SessionEventType> = Omit<Event<T>, 'tenant' | 'sessionId' | 'position'>;

const common = <T extends SessionEventType>(...types: readonly T[]) => ({
  id: text('The same whenever this event is sent again.'),
  type: oneOf(types),
  sequence: whole('The number of the change within the session.', 1),
  at: instant('When it took effect: UTC.'),
});

const A_CHANGE = 'A change of the session.';

const plainEvent: Shape<EventData<PlainType>> = named(
  'SessionEvent',
  object(
    A_CHANGE,
    common('session.created', 'session.started', 'session.paused', 'session.resumed', 'session.deleted'),
  ),
);

const appendedEvent: Shape<EventData<'session.appended'>> = named(
  'SessionAppendedEvent',
  object(A_CHANGE, { ...common('session.appended'), historyPosition }, { historyPosition: 'position' }),
);

const terminatedEvent: Shape<EventData<'session.terminated'>> = named(
  'SessionTerminatedEvent',
  object(A_CHANGE, { ...common('session.terminated'), endReason }),
);

/** The data of each event of a session, by its type. */
export const eventShapes = {
  'session.created': plainEvent,
  'session.started': plainEvent,
  'session.paused': plainEvent,
  'session.resumed': plainEvent,
  'session.deleted': plainEvent,
  'session.appended': appendedEvent,
  'session.terminated': terminatedEvent,
} as const satisfies Readonly<Record<SessionEventType, unknown>>;

/** The session has ended, or was deleted and has no reason. Without data a browser would pass the event over. */
export const streamEnd: Shape<{ readonly endReason: EndReason | undefined }> = named('StreamEnd', {
  schema: {
    type: 'object',
    description: 'The last event: the session has ended, or is deleted and has no end_reason.',
    properties: { end_reason: endReason.schema },
    additionalProperties: false,
  },
  components: endReason.components,
  read: (value) => (isFields(value) ? { endReason: endReason.read(value['end_reason']) } : undefined),
  write: ({ endReason: reason }) => ({ end_reason: reason }),
});

export const streamUnavailable: Shape<{ readonly code: string }> = named(
  'StreamUnavailable',
  object('The last event where the sessions cannot be reached any more.', { code: text('As in a Problem.') }),
);

export const watch = operation({
  name: 'watchSession',
  tag: 'Events',
  summary: 'Follow a session',
  description:
    'Server-Sent Events: first what the session is, then every change, until it has ended. Each event but `unavailable` has an id for Last-Event-ID.',
  method: 'GET',
  path: '/session/{session_id}/events',
  headers: {
    from: {
      wireName: 'Last-Event-ID',
      description: 'The id of the last event that was seen, to go on behind it.',
      schema: { type: 'string', pattern: `^(?:${END_ID})?$|${positionForm.source}` },
      example: END_ID,
    },
  },
  errors: errorsOf<SessionService['watch'], 'too_many_streams'>()([
    'invalid_input',
    'not_found',
    'store_unavailable',
    'corrupt_record',
    'too_many_streams',
  ]),
  output: {
    status: 200,
    description: 'The events, for as long as the session goes on. Lines that begin with a colon are heartbeats.',
    events: {
      'session.snapshot': session,
      ...eventShapes,
      end: streamEnd,
      unavailable: streamUnavailable,
    } satisfies Readonly<Record<SessionChange['type'] | 'end' | 'unavailable', Shape<unknown>>>,
  },
  otherOutput: { status: 204, description: 'The stream had ended, and the client has seen its end.' },
});
