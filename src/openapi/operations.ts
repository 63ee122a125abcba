import { streamHeaders } from '../http/events.js';
import { commonHeaders } from '../http/problem.js';
import { allowedMethods, pathTemplates } from '../http/routes.js';
import type { InputPolicy } from '../input/policy.js';
import type { CallerCommand } from '../status.js';
import { pageExample, SESSION_ID, sessionExample, stateExamples, streamExample } from './examples.js';
import { headerRef, headersOf } from './headers.js';
import { listQuery, parameterRef } from './parameters.js';
import { codesOf, problemResponses } from './problems.js';
import { eventData, ref } from './schemas.js';
import type { Example, MediaType, Operation, PathItem, Reference, RequestBody, Response } from './types.js';

export type Paths = Readonly<Record<string, PathItem>>;

const json = (schema: MediaType['schema'], examples: MediaType['examples']): Response['content'] => ({
  'application/json': { schema, ...(examples && { examples }) },
});

const answered = (description: string, content: Response['content'], more: Response['headers'] = {}): Response => ({
  description,
  headers: { ...headersOf(commonHeaders), ...more },
  ...(content && { content }),
});

const body = (name: string, examples: Readonly<Record<string, Example>>): RequestBody => ({
  required: true,
  content: { 'application/json': { schema: ref(name), examples } },
});

/** Of a success; an error leads to the same component as that of GET, whose content a HEAD has not either. */
const withoutContent = (response: Response | Reference): Response | Reference => {
  if ('$ref' in response) return response;
  const { content: _, ...head } = response;
  return head;
};

/** The methods of an operation, as the handler knows them: HEAD is answered as GET is, without a body. */
const pathItem = (allowed: string, operation: Operation): PathItem => {
  if (allowed === 'POST') return { post: operation };
  const responses = Object.entries(operation.responses).map(([status, response]) => [status, withoutContent(response)]);
  const { operationId, summary, description: _, ...head } = operation;
  return {
    get: operation,
    head: {
      ...head,
      operationId: `${operationId}Head`,
      summary: `${summary}: the headers alone`,
      responses: Object.fromEntries(responses),
    },
  };
};

/** Names that the host allows, and a time that it allows. */
const createExamples = ({ limits, faces, profiles }: InputPolicy): Readonly<Record<string, Example>> => {
  const [face = 'ada'] = faces ?? [];
  const [profile = 'tutor'] = profiles ?? [];
  if (faces?.size === 0 || profiles?.size === 0) return {};
  const texts = { behavior: 'You teach arithmetic.', context: 'The pupil is nine.' };
  const few = Math.floor(Math.min(limits.textBytes, 64));
  return {
    minimal: { summary: 'What is required', value: { face, profile } },
    full: {
      summary: 'All that can be given',
      value: {
        face,
        profile,
        behavior: texts.behavior.slice(0, few),
        context: texts.context.slice(0, few),
        time_limit: Math.min(600, limits.timeLimit),
      },
    },
  };
};

const createdExample: Example = { value: { session_id: SESSION_ID } };

const create = (policy: InputPolicy): Operation => ({
  operationId: 'createSession',
  tags: ['Sessions'],
  summary: 'Create a session',
  parameters: [parameterRef('idempotencyKey')],
  requestBody: body('CreateSession', createExamples(policy)),
  responses: {
    201: answered('The session is there, IDLE.', json(ref('CreatedSession'), { created: createdExample }), {
      Location: headerRef('Location'),
    }),
    ...problemResponses(codesOf.create),
  },
});

const list = (): Operation => ({
  operationId: 'listSessions',
  tags: ['Sessions'],
  summary: 'List sessions',
  description:
    'A page of the sessions of the tenant that the API key belongs to. A parameter that is given twice is refused; those of other names are ignored.',
  parameters: listQuery,
  responses: {
    200: answered(
      'A page of sessions, which may be empty.',
      json({ type: 'array', items: ref('Session') }, { page: pageExample }),
      {
        'X-Total-Count': headerRef('TotalCount'),
        Link: headerRef('Link'),
        'X-Next-Cursor': headerRef('NextCursor'),
        'X-Unreadable-Sessions': headerRef('UnreadableSessions'),
        'X-History-Truncated': headerRef('HistoryTruncated'),
      },
    ),
    ...problemResponses(codesOf.list),
  },
});

const get = (): Operation => ({
  operationId: 'getSession',
  tags: ['Sessions'],
  summary: 'Get a session',
  parameters: [parameterRef('sessionId'), parameterRef('historyLimit')],
  responses: {
    200: answered('The session with its history.', json(ref('Session'), { session: sessionExample }), {
      'X-History-Truncated': headerRef('HistoryTruncated'),
    }),
    ...problemResponses(codesOf.get),
  },
});

const events = (): Operation => ({
  operationId: 'watchSession',
  tags: ['Events'],
  summary: 'Follow a session',
  description:
    'Server-Sent Events: first what the session is, then every change, until it has ended. Each event but `unavailable` has an id for Last-Event-ID.',
  parameters: [parameterRef('sessionId'), parameterRef('lastEventId'), parameterRef('warnBefore')],
  responses: {
    200: {
      description: 'The events, for as long as the session goes on. Lines that begin with a colon are heartbeats.',
      headers: headersOf(streamHeaders),
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          examples: { stream: streamExample },
          'x-server-sent-events': eventData(),
        },
      },
    },
    204: answered('The stream had ended, and the client has seen its end.', undefined),
    ...problemResponses(codesOf.events),
  },
});

const commands = {
  start: 'Start a session: IDLE to ACTIVE',
  pause: 'Pause a session: ACTIVE to PAUSED',
  resume: 'Resume a session: PAUSED to ACTIVE',
  terminate: 'End a session',
  fail: 'End a session as failed',
} as const satisfies Readonly<Record<CallerCommand, string>>;

/** What every command but append and delete answers. */
export const sharedResponses = {
  SessionMoved: answered('Where the session stands now.', json(ref('SessionState'), stateExamples)),
} as const satisfies Readonly<Record<string, Response>>;

const change = (command: CallerCommand): Operation => ({
  operationId: `${command}Session`,
  tags: ['Commands'],
  summary: commands[command],
  parameters: [parameterRef('sessionId'), parameterRef('operationId')],
  responses: {
    200: { $ref: '#/components/responses/SessionMoved' },
    ...problemResponses(codesOf.change),
  },
});

const append = (): Operation => ({
  operationId: 'appendHistory',
  tags: ['Commands'],
  summary: 'Append to the history of a session, while it is ACTIVE or PAUSED',
  parameters: [parameterRef('sessionId'), parameterRef('operationId')],
  requestBody: body('AppendHistory', {
    entry: { value: { entries: [{ role: 'user', content: 'Hello' }] } },
    told: { value: { entries: [{ role: 'user', content: 'Hi', timestamp: '2026-01-31T19:00:02+01:00' }] } },
  }),
  responses: {
    200: answered(
      'The entries are appended.',
      json(ref('AppendedHistory'), { appended: { value: { position: 123 } } }),
    ),
    ...problemResponses(codesOf.append),
  },
});

const remove = (): Operation => ({
  operationId: 'deleteSession',
  tags: ['Commands'],
  summary: 'Delete a session',
  parameters: [parameterRef('sessionId')],
  responses: {
    204: answered('There is no such session any more, or there was none.', undefined),
    ...problemResponses(codesOf.delete),
  },
});

const commandNames = ['start', 'pause', 'resume', 'terminate', 'fail'] as const satisfies readonly CallerCommand[];

export const sessionPaths = (policy: InputPolicy): Paths => ({
  [pathTemplates.create]: pathItem(allowedMethods.create, create(policy)),
  [pathTemplates.list]: pathItem(allowedMethods.list, list()),
  [pathTemplates.get]: pathItem(allowedMethods.get, get()),
});

export const eventPaths = (): Paths => ({
  [pathTemplates.events]: pathItem(allowedMethods.events, events()),
});

export const commandPaths = (): Paths => ({
  ...Object.fromEntries(commandNames.map((name) => [pathTemplates[name], pathItem(allowedMethods.move, change(name))])),
  [pathTemplates.append]: pathItem(allowedMethods.append, append()),
  [pathTemplates.delete]: pathItem(allowedMethods.delete, remove()),
});

/** Of the document itself. */
export const documentPath = (path: string, isPublic: boolean): Paths => ({
  [path]: pathItem(allowedMethods.get, {
    operationId: 'describe',
    tags: ['Description'],
    summary: 'This document',
    ...(isPublic ? { security: [] } : {}),
    responses: {
      200: answered('This document.', json({ type: 'object' }, undefined)),
      ...problemResponses(isPublic ? codesOf.publicDocument : codesOf.document),
    },
  }),
});
