import type { SessionChange, SessionEventType } from '../events/event.js';
import { statuses } from '../http/problem.js';
import type { InputPolicy } from '../input/policy.js';
import { createRules, entriesRange, entryRules, type Rule } from '../input/rules.js';
import { endReasons, type SessionStatus, sessionStatuses } from '../status.js';
import { wireNames } from '../wire.js';
import { defaultInWords, described, fieldSchema, isRequired, nullable } from './fields.js';
import type { Schema } from './types.js';

type Fields = Readonly<Record<string, Schema>>;

/** An object with all of these properties and no others. */
const exactly = (properties: Fields, description: string): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const string = (description: string): Schema => ({ type: 'string', description });

const instant = (description: string): Schema => ({ type: 'string', format: 'date-time', description });

const seconds = (description: string): Schema => ({ type: 'number', minimum: 0, description });

const meanings = {
  face: 'Name of the face.',
  profile: 'Name of the profile.',
  context: 'Background facts.',
  behavior: 'What role the session takes.',
  timeLimit: 'Seconds that the session may be ACTIVE, across pauses; 0 is no limit.',
  role: 'Who said it; usually user or assistant.',
  content: 'What was said.',
  timestamp: 'When it was said: RFC 3339.',
} as const satisfies Readonly<Record<keyof typeof createRules | keyof typeof entryRules, string>>;

const isNamed = (name: string): name is keyof typeof wireNames => Object.hasOwn(wireNames, name);

const wireName = (name: string): string => (isNamed(name) ? wireNames[name] : name);

/**
 * What a caller may send: the fields of these rules, under their names on the wire, and others, which are ignored. `null`
 * in an optional one is as if it were not given.
 */
const given = (
  rules: Readonly<Record<string, Rule>>,
  meant: Readonly<Record<string, string>>,
  policy: InputPolicy,
  description: string,
): Schema => {
  const fields = Object.entries(rules).map(([name, rule]): [string, Schema] => {
    const schema = described(fieldSchema(rule, policy), `${meant[name] ?? ''}${defaultInWords(rule)}`);
    return [wireName(name), isRequired(rule) ? schema : nullable(schema)];
  });
  const required = Object.entries(rules).filter(([, rule]) => isRequired(rule));
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(fields),
    required: required.map(([name]) => wireName(name)),
  };
};

const entryList = ({ limits }: InputPolicy): Schema => ({
  type: 'array',
  minItems: entriesRange.least,
  maxItems: Math.floor(limits[entriesRange.most]),
  items: ref('NewHistoryEntry'),
  description: 'Oldest first. All of them are appended, or none.',
});

const terminated = 'TERMINATED' satisfies SessionStatus;

const position = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

const id = string('The id of the session.');
const duration: Schema = { type: 'integer', minimum: 0, description: 'Whole seconds spent ACTIVE, rounded down.' };
const endReason = ref('EndReason');

/**
 * The schemas that the operations speak of. What is answered is described without the bounds of what may be sent: a
 * session may have been created when they were others.
 */
export const schemasOf = (policy: InputPolicy): Fields => ({
  CreateSession: given(createRules, meanings, policy, 'What to create. Other fields are ignored.'),
  CreatedSession: exactly({ session_id: id }, 'The session that was created.'),
  NewHistoryEntry: given(
    entryRules,
    meanings,
    policy,
    'A history entry. Without a timestamp it has that of its arrival.',
  ),
  AppendHistory: {
    type: 'object',
    description: 'What to append. Other fields are ignored.',
    properties: { entries: entryList(policy) },
    required: ['entries'],
  },
  AppendedHistory: exactly(
    { position: position('Where the history stands now: opaque, growing, the same for a repeated append.') },
    'What an append answers.',
  ),
  SessionState: {
    description: 'Where a session stands.',
    oneOf: [
      exactly(
        { id, status: { type: 'string', enum: sessionStatuses.filter((status) => status !== terminated) }, duration },
        'One that goes on.',
      ),
      exactly(
        { id, status: { type: 'string', const: terminated }, duration, end_reason: endReason },
        'One that has ended.',
      ),
    ],
  },
  SessionStatus: { type: 'string', enum: [...sessionStatuses], description: 'What a session is doing.' },
  SessionOptions: exactly(
    {
      face: string(meanings.face),
      profile: string(meanings.profile),
      context: string(meanings.context),
      behavior: string(meanings.behavior),
      time_limit: seconds(meanings.timeLimit),
    },
    'How a session is configured; it never changes.',
  ),
  HistoryEntry: exactly(
    { role: string(meanings.role), content: string(meanings.content), timestamp: instant('When it was said: UTC.') },
    'One message of a session.',
  ),
  Session: exactly(
    {
      id,
      status: ref('SessionStatus'),
      options: ref('SessionOptions'),
      history: { type: 'array', items: ref('HistoryEntry'), description: 'Oldest first.' },
      created_at: instant('When it was created: UTC.'),
      duration,
    },
    'A session as it is at the moment of reading.',
  ),
  Timestamp: described(fieldSchema(entryRules.timestamp, policy), 'RFC 3339.'),
  EndReason: { type: 'string', enum: [...endReasons], description: 'Why the session has ended.' },
  ...eventSchemas(),
  ProblemCode: { type: 'string', enum: Object.keys(statuses), description: 'What is wrong, for programs.' },
  Problem: {
    type: 'object',
    description: 'An error: the members of RFC 9457, a code, and for bad input what is wrong with it.',
    properties: {
      type: { type: 'string', const: 'about:blank' },
      title: string('The phrase of the status.'),
      status: { type: 'integer', enum: [...new Set(Object.values(statuses))] },
      detail: string('What is wrong, for people.'),
      code: ref('ProblemCode'),
      errors: {
        type: 'array',
        description: 'Of invalid_input alone: every place that breaks a rule, by the name that it was sent under.',
        items: exactly({ path: string('The place.'), message: string('The rule that it breaks.') }, 'One of them.'),
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code'],
  },
});

const eventOf = (types: readonly string[], more: Fields = {}): Schema =>
  exactly(
    {
      id: string('The same whenever this event is told again.'),
      type: { type: 'string', enum: types },
      sequence: { type: 'integer', minimum: 1, description: 'The number of the change within the session.' },
      at: instant('When it took effect: UTC.'),
      ...more,
    },
    'A change of the session.',
  );

/** Those that tell no more than that they have happened. */
const plainEvents = {
  'session.created': ref('SessionEvent'),
  'session.started': ref('SessionEvent'),
  'session.paused': ref('SessionEvent'),
  'session.resumed': ref('SessionEvent'),
  'session.deleted': ref('SessionEvent'),
} as const satisfies Record<Exclude<SessionEventType, 'session.appended' | 'session.terminated'>, Schema>;

const eventSchemas = (): Fields => ({
  SessionEvent: eventOf(Object.keys(plainEvents)),
  SessionAppendedEvent: eventOf(['session.appended'], { position: position('Where the history stands now.') }),
  SessionTerminatedEvent: eventOf(['session.terminated'], { end_reason: endReason }),
  SessionExpiringEvent: exactly(
    {
      type: { type: 'string', enum: ['session.expiring'] },
      at: instant('When it was computed: UTC.'),
      ends_at: instant('When the session ends, unless it is paused, resumed or ended before: UTC.'),
      end_reason: endReason,
    },
    'The session ends soon.',
  ),
  StreamEnd: {
    type: 'object',
    description: 'The last event: the session has ended, or is deleted and has no end_reason.',
    properties: { end_reason: endReason },
    additionalProperties: false,
  },
  StreamUnavailable: exactly(
    { code: ref('ProblemCode') },
    'The last event where the sessions cannot be reached any more.',
  ),
});

/** The schema of each event's data, by the event's name. */
export const eventData = (): Fields =>
  ({
    'session.snapshot': ref('Session'),
    ...plainEvents,
    'session.appended': ref('SessionAppendedEvent'),
    'session.terminated': ref('SessionTerminatedEvent'),
    'session.expiring': ref('SessionExpiringEvent'),
    end: ref('StreamEnd'),
    unavailable: ref('StreamUnavailable'),
  }) satisfies Record<SessionChange['type'] | 'end' | 'unavailable', Schema>;
