import type { ResultAsync } from 'neverthrow';
import { cursorForm } from '../input/parse-cursor.js';
import {
  entryRules,
  labelsRule,
  listOrders,
  metadataRule,
  openingRules,
  optionalEntriesRange,
  sentCreateRules,
} from '../input/rule.js';
import type { SessionService } from '../service/session-service.js';
import { DEFAULT_PAGE_LIMIT, HISTORY_LIMIT, PAGE_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { errorsOf, operation, type QueryParameter } from './operation.js';
import {
  created,
  getOrCreateResult,
  historyPart,
  REPLAYED_HEADER,
  session,
  sessionStatus,
  sessions,
} from './outputs.js';
import { historyLimit, idempotencyKey, timeBound } from './parameters.js';
import type { TenantHistories } from './tenant-sessions.js';

const createErrors = ['idempotency_mismatch', 'conflict'] as const;

/**
 * A method with errors of these types, which is called in such a way that an answer of one session
 * is never too large.
 */
type Method<E extends { readonly type: string }> = () => ResultAsync<
  unknown,
  Exclude<E, { type: 'page_too_large' }>
>;

/** A create without an opening. */
type PlainCreate = Method<Exclude<OperationErrors['create'], { type: OpeningError }>>;

const openingErrors = ['not_found', 'history_full', 'too_many_active'] as const;

type OpeningError = (typeof openingErrors)[number] | 'id_taken';

const createFields = { ...sentCreateRules, labels: labelsRule, metadata: metadataRule };

const openedFields = {
  ...createFields,
  ...openingRules,
  entries: { ...optionalEntriesRange, items: { name: 'NewHistoryEntry', fields: entryRules } },
};

/** Without the fields that only `openedCreate` accepts. */
export const create = operation({
  name: 'createSession',
  tag: 'Sessions',
  method: 'POST',
  path: '/create-session',
  headers: { idempotencyKey },
  body: {
    name: 'CreateSession',
    fields: createFields,
  },
  errors: errorsOf<PlainCreate>()(createErrors),
  output: { status: 201, shape: created, headers: ['Location', REPLAYED_HEADER] },
});

/** The same with `start`, `wake`, `entries` and `from`, for handlers that serve the commands. */
export const openedCreate = operation({
  ...create,
  body: {
    name: 'CreateSession',
    fields: openedFields,
  },
  errors: errorsOf<Method<Exclude<OperationErrors['create'], { type: 'id_taken' }>>>()([
    ...createErrors,
    ...openingErrors,
  ]),
});

/** The same under an id of the caller's own. */
export const createWithId = operation({
  ...openedCreate,
  name: 'createSessionWithId',
  tag: 'Commands',
  path: '/create-session-with-id/{session_id}',
  errors: errorsOf<Method<OperationErrors['create']>>()([
    ...createErrors,
    ...openingErrors,
    'id_taken',
  ]),
});

/** The session with an id of the caller's own, or a new one. */
export const getOrCreate = operation({
  name: 'getOrCreateSession',
  tag: 'Commands',
  method: 'POST',
  path: '/get-or-create-session/{session_id}',
  body: {
    name: 'GetOrCreateSession',
    fields: { ...openedFields, historyLimit: { kind: 'whole', least: 0, isOptional: true } },
  },
  errors: errorsOf<Method<OperationErrors['getOrCreate']>>()([
    'conflict',
    'not_found',
    'history_full',
    'too_many_active',
  ]),
  output: { status: 201, shape: getOrCreateResult, headers: ['Location'] },
  otherOutput: { status: 200, shape: getOrCreateResult, headers: ['Location'] },
});

export const list = operation({
  name: 'listSessions',
  tag: 'Sessions',
  method: 'GET',
  path: '/sessions',
  query: {
    limit: { kind: 'whole', least: 1, most: PAGE_LIMIT, default: DEFAULT_PAGE_LIMIT },
    page: { kind: 'whole', least: 1 },
    order: { kind: 'text', schema: { type: 'string', enum: listOrders, default: listOrders[0] } },
    status: { kind: 'texts', schema: sessionStatus.schema },
    labels: { kind: 'labels' },
    createdAfter: timeBound,
    createdBefore: timeBound,
    cursor: { kind: 'text', schema: { type: 'string', pattern: cursorForm.source } },
    historyLimit,
  },
  errors: errorsOf<SessionService['list']>()(['page_too_large', 'search_too_large']),
  output: {
    status: 200,
    shape: sessions,
    headers: [
      'X-Total-Count',
      'Link',
      'X-Next-Cursor',
      'X-Unreadable-Sessions',
      'X-History-Truncated',
    ],
  },
});

export const get = operation({
  name: 'getSession',
  tag: 'Sessions',
  method: 'GET',
  path: '/session/{session_id}',
  query: { historyLimit },
  errors: errorsOf<Method<OperationErrors['get']>>()(['not_found']),
  output: {
    status: 200,
    shape: session,
    headers: ['X-History-Truncated'],
  },
});

/** The three operations of every handler. */
export const sessionOperations = [create, list, get] as const;

const partLength: QueryParameter = { kind: 'whole', least: 1, most: HISTORY_LIMIT };
const position: QueryParameter = { kind: 'whole', least: 0 };

export const history = operation({
  name: 'readHistory',
  tag: 'Histories',
  method: 'GET',
  path: '/session/{session_id}/history',
  query: { last: partLength, after: position, before: position, limit: partLength },
  errors: errorsOf<SessionService['history']>()(['not_found']),
  output: { status: 200, shape: historyPart },
  calls: {
    method: 'history',
    call: (sessions: TenantHistories, { id, query }) => sessions.history(id, query),
  },
});

/** The operations of `historyRoutes()`. An operation in this list is served and described. */
export const historyOperations = [history] as const;
