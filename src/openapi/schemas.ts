import type { SessionChange } from '../events/change.js';
import { statuses } from '../http/problem.js';
import type { InputPolicy } from '../input/policy.js';
import { createRules, entriesRange, entryRules, type Rule } from '../input/rules.js';
import { wireNames } from '../input/wire-names.js';
import { endReasons, type SessionStatus, sessionStatuses } from '../status.js';
import { described, fieldSchema, isRequired } from './fields.js';
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

/** What a caller may send: the fields of these rules, under their names on the wire, and others, which are ignored. */
const given = (
  rules: Readonly<Record<string, Rule>>,
  meant: Readonly<Record<string, string>>,
  policy: InputPolicy,
  description: string,
): Schema => {
  const fields = Object.entries(rules).map(([name, rule]): [string, Schema] => [
    wireName(name),
    described(fieldSchema(rule, policy), meant[name] ?? ''),
  ]);
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
const endReason: Schema = { type: 'string', enum: [...endReasons], description: 'Why the session has ended.' };

/**
 * The schemas that the operations speak of. What is answered is described without the bounds of what may be sent: a
 * session may have been created when they were others.
 */
export const schemasOf = (policy: InputPolicy, { commands }: { readonly commands: boolean }): Fields => ({
  CreateSession: given(createRules, meanings, policy, 'What to create. Other fields are ignored.'),
  CreatedSession: exactly({ session_id: id }, 'The session that was created.'),
  ...(commands
    ? {
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
              { id, status: { enum: sessionStatuses.filter((status) => status !== terminated) }, duration },
              'One that goes on.',
            ),
            exactly({ id, status: { const: terminated }, duration, end_reason: endReason }, 'One that has ended.'),
          ],
        },
      }
    : {}),
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
  Problem: {
    type: 'object',
    description: 'An error: the members of RFC 9457, a code, and for bad input what is wrong with it.',
    properties: {
      type: { const: 'about:blank' },
      title: string('The phrase of the status.'),
      status: { type: 'integer', enum: [...new Set(Object.values(statuses))] },
      detail: string('What is wrong, for people.'),
      code: { type: 'string', enum: Object.keys(statuses), description: 'What is wrong, for programs.' },
      errors: {
        type: 'array',
        description: 'Of invalid_input alone: every place that breaks a rule, by the name that it was sent under.',
        items: exactly({ path: string('The place.'), message: string('The rule that it breaks.') }, 'One of them.'),
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code'],
  },
});

/** The data of each of the events on a stream, by the event's name. */
export const eventSchemas = (): Fields => {
  const event = (type: string, more: Fields = {}): Schema =>
    exactly(
      {
        id: string('The same whenever this event is told again.'),
        type: { const: type },
        sequence: { type: 'integer', minimum: 1, description: 'The number of the change within the session.' },
        at: instant('When it took effect: UTC.'),
        ...more,
      },
      'A change of the session.',
    );
  return {
    'session.snapshot': ref('Session'),
    'session.created': event('session.created'),
    'session.started': event('session.started'),
    'session.paused': event('session.paused'),
    'session.resumed': event('session.resumed'),
    'session.appended': event('session.appended', { position: position('Where the history stands now.') }),
    'session.terminated': event('session.terminated', { end_reason: endReason }),
    'session.deleted': event('session.deleted'),
    end: {
      type: 'object',
      description: 'The last event: the session has ended, or is deleted and has no end_reason.',
      properties: { end_reason: endReason },
      additionalProperties: false,
    },
    unavailable: exactly(
      { code: { type: 'string', enum: Object.keys(statuses) } },
      'The last event where the sessions cannot be reached any more.',
    ),
  } satisfies Record<SessionChange['type'] | 'end' | 'unavailable', Schema>;
};
