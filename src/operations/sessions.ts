import { cursorForm, cursorOf } from '../input/cursor.js';
import { listOrders } from '../input/list-input.js';
import { createRules } from '../input/rules.js';
import { DEFAULT_HISTORY_LIMIT, DEFAULT_PAGE_LIMIT, HISTORY_LIMIT, PAGE_LIMIT } from '../limits.js';
import type { SessionService } from '../service/session-service.js';
import { sessionStatuses } from '../status.js';
import { errorsOf, operation } from './operation.js';
import { created, historyPart, session, sessionStatus, sessions } from './outputs.js';
import { historyLimit, idempotencyKey, SAMPLE_ID, SAMPLE_TIME, timeBound } from './parameters.js';
import type { TenantHistories } from './tenant-sessions.js';

export const create = operation({
  name: 'createSession',
  tag: 'Sessions',
  summary: 'Create a session',
  method: 'POST',
  path: '/create-session',
  headers: { idempotencyKey },
  body: {
    name: 'CreateSession',
    description: 'What to create. Other fields are ignored.',
    fields: {
      face: { rule: createRules.face, description: 'Name of the face.' },
      profile: { rule: createRules.profile, description: 'Name of the profile.' },
      behavior: { rule: createRules.behavior, description: 'What role the session takes.' },
      context: { rule: createRules.context, description: 'Background facts.' },
      timeLimit: {
        rule: createRules.timeLimit,
        description: 'Seconds that the session may be ACTIVE, across pauses; 0 is no limit.',
      },
    },
  },
  errors: errorsOf<SessionService['create']>()([
    'invalid_input',
    'idempotency_mismatch',
    'conflict',
    'store_unavailable',
    'corrupt_record',
  ]),
  output: { status: 201, description: 'The session is there, IDLE.', shape: created, headers: ['Location'] },
});

export const list = operation({
  name: 'listSessions',
  tag: 'Sessions',
  summary: 'List sessions',
  description:
    'A page of the sessions of the tenant that the API key belongs to. A parameter that is given twice is refused; those of other names are ignored.',
  method: 'GET',
  path: '/sessions',
  query: {
    limit: {
      kind: 'whole',
      least: 1,
      most: PAGE_LIMIT,
      default: DEFAULT_PAGE_LIMIT,
      description: `Sessions on a page, in decimal digits; above ${PAGE_LIMIT} is served as ${PAGE_LIMIT}.`,
    },
    page: {
      kind: 'whole',
      least: 1,
      description: 'The number of the page. Default: 1. Not together with `after`.',
    },
    order: {
      kind: 'text',
      schema: { type: 'string', enum: listOrders, default: listOrders[0] },
      description: 'By the time of creation.',
      example: listOrders[1],
    },
    status: {
      kind: 'text',
      schema: sessionStatus.schema,
      description: 'Only the sessions that are in this status.',
      example: sessionStatuses[1],
    },
    createdAfter: timeBound('Only what was created later than this.'),
    createdBefore: timeBound('Only what was created earlier than this.'),
    after: {
      kind: 'text',
      schema: { type: 'string', pattern: cursorForm.source },
      description: 'The X-Next-Cursor of another page, to go on behind it. Not together with `page`.',
      example: cursorOf({ createdAt: SAMPLE_TIME, id: SAMPLE_ID }),
    },
    historyLimit,
  },
  errors: errorsOf<SessionService['list']>()([
    'invalid_input',
    'page_too_large',
    'store_unavailable',
    'corrupt_record',
  ]),
  output: {
    status: 200,
    description: 'A page of sessions, which may be empty.',
    shape: sessions,
    headers: ['X-Total-Count', 'Link', 'X-Next-Cursor', 'X-Unreadable-Sessions', 'X-History-Truncated'],
  },
});

export const get = operation({
  name: 'getSession',
  tag: 'Sessions',
  summary: 'Get a session',
  method: 'GET',
  path: '/session/{session_id}',
  query: { historyLimit },
  errors: errorsOf<SessionService['get']>()(['invalid_input', 'not_found', 'store_unavailable', 'corrupt_record']),
  output: {
    status: 200,
    description: 'The session with its history.',
    shape: session,
    headers: ['X-History-Truncated'],
  },
});

const count = { kind: 'whole', least: 1, most: HISTORY_LIMIT } as const;

const COUNTED = `at most ${HISTORY_LIMIT}. Default: ${DEFAULT_HISTORY_LIMIT}.`;

export const history = operation({
  name: 'readHistory',
  tag: 'Histories',
  summary: 'Read a part of a history',
  description: 'Its last entries, or those behind a position.',
  method: 'GET',
  path: '/session/{session_id}/history',
  query: {
    last: { ...count, description: `How many entries from the end, ${COUNTED}`, example: 20 },
    after: {
      kind: 'whole',
      least: 0,
      description: 'A position that an append or another part has answered, or 0. Not together with `last`.',
      example: 0,
    },
    limit: { ...count, description: `How many entries behind \`after\`, ${COUNTED}` },
  },
  errors: errorsOf<SessionService['history']>()(['invalid_input', 'not_found', 'store_unavailable', 'corrupt_record']),
  output: { status: 200, description: 'The entries, oldest first.', shape: historyPart },
  calls: { method: 'history', call: (sessions: TenantHistories, { id, query }) => sessions.history(id, query) },
});
