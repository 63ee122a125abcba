import type { ResultAsync } from 'neverthrow';
import { createBody, getOrCreateBody, openedCreateBody } from '../input/create-input.js';
import { historyFields, historyLimit, listFields } from '../input/list-query.js';
import type { SessionService } from '../service/session-service.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { endpoint, errorsOf, posted, served } from './endpoint.js';
import { idempotencyKey, REPLAYED_HEADER } from './headers.js';
import { created, getOrCreateResult, historyPart, session, sessions } from './outputs.js';
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

const create = posted({
  path: '/create-session',
  headers: { idempotencyKey },
  errors: errorsOf<PlainCreate>()(createErrors),
  output: { status: 201, body: created, headers: ['Location', REPLAYED_HEADER] },
});

/** Without the fields that only `servedOpenedCreate` accepts. */
export const servedCreate = served(create, {
  name: 'createSession',
  tag: 'Sessions',
  body: { name: 'CreateSession', of: createBody },
});

/** The same with `start`, `wake`, `entries` and `from`, for handlers that serve the commands. */
export const openedCreate = endpoint({
  ...create,
  errors: errorsOf<Method<Exclude<OperationErrors['create'], { type: 'id_taken' }>>>()([
    ...createErrors,
    ...openingErrors,
  ]),
});

export const servedOpenedCreate = served(openedCreate, {
  name: 'createSession',
  tag: 'Sessions',
  body: { name: 'CreateSession', of: openedCreateBody },
});

export const createWithId = endpoint({
  ...create,
  path: '/create-session-with-id/{session_id}',
  errors: errorsOf<Method<OperationErrors['create']>>()([
    ...createErrors,
    ...openingErrors,
    'id_taken',
  ]),
});

export const servedCreateWithId = served(createWithId, {
  name: 'createSessionWithId',
  tag: 'Commands',
  body: { name: 'CreateSession', of: openedCreateBody },
});

export const getOrCreate = posted({
  path: '/get-or-create-session/{session_id}',
  errors: errorsOf<Method<OperationErrors['getOrCreate']>>()([
    'conflict',
    'not_found',
    'history_full',
    'too_many_active',
  ]),
  output: { status: 201, body: getOrCreateResult, headers: ['Location'] },
  otherOutput: { status: 200, body: getOrCreateResult, headers: ['Location'] },
});

export const servedGetOrCreate = served(getOrCreate, {
  name: 'getOrCreateSession',
  tag: 'Commands',
  body: { name: 'GetOrCreateSession', of: getOrCreateBody },
});

export const list = endpoint({
  method: 'GET',
  path: '/sessions',
  errors: errorsOf<SessionService['list']>()(['page_too_large', 'search_too_large']),
  output: {
    status: 200,
    body: sessions,
    headers: [
      'X-Total-Count',
      'Link',
      'X-Next-Cursor',
      'X-Unreadable-Sessions',
      'X-History-Truncated',
    ],
  },
});

export const servedList = served(list, {
  name: 'listSessions',
  tag: 'Sessions',
  query: listFields,
});

export const get = endpoint({
  method: 'GET',
  path: '/session/{session_id}',
  errors: errorsOf<Method<OperationErrors['get']>>()(['not_found']),
  output: {
    status: 200,
    body: session,
    headers: ['X-History-Truncated'],
  },
});

export const servedGet = served(get, {
  name: 'getSession',
  tag: 'Sessions',
  query: { historyLimit },
});

export const sessionOperations = [servedCreate, servedList, servedGet] as const;

export const history = endpoint({
  method: 'GET',
  path: '/session/{session_id}/history',
  errors: errorsOf<SessionService['history']>()(['not_found']),
  output: { status: 200, body: historyPart },
});

export const servedHistory = served(history, {
  name: 'readHistory',
  tag: 'Histories',
  query: historyFields,
  calls: {
    method: 'history',
    call: (sessions: TenantHistories, { id, query }) => sessions.history(id, query),
  },
});

/** The operations of `historyRoutes()`. An operation in this list is served and described. */
export const historyOperations = [servedHistory] as const;
