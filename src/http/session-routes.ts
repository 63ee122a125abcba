import { err, ok, type Result } from 'neverthrow';
import { type Fields, hasMethods, MISSING } from '../input/parse-fields.js';
import { commandOperations } from '../operations/command-operations.js';
import { type AnyOperation, percentEncode } from '../operations/operation.js';
import {
  create,
  createWithId,
  get,
  getOrCreate,
  historyOperations,
  list,
  openedCreate,
} from '../operations/session-operations.js';
import type {
  TenantCommands,
  TenantHistories,
  TenantOpenings,
  TenantSessions,
} from '../operations/tenant-sessions.js';
import type { CreateOptions } from '../service/create-session.js';
import type { GetOrCreateResult } from '../service/operation-results.js';
import { storeUnavailable } from '../session/errors.js';
import type { CreatedSession } from '../session/session.js';
import { lacksMethod, replayedHeaders } from './answer-from-service.js';
import { answerOf } from './answer-of.js';
import type { HandlerError } from './handler-error.js';
import { bodyReader, idempotencyKeyOf, numberIn, queryParser } from './input-reader.js';
import { pageHeaders, truncationHeaders } from './page-headers.js';
import { commonHeaders } from './problem.js';
import type { Answer, Call, RouteGroup } from './route.js';
import { tidyPrefix } from './router-of.js';
import type { HandlerResponse } from './session-handler.js';
import { readWithin, withinBudget } from './within-budget.js';

const parseListQuery = queryParser(list);
const parseGetQuery = queryParser(get);

/** The fields of a create. A host may leave out the face and the profile, a request may not. */
const createReader = (operation: AnyOperation) => {
  const readBody = bodyReader(operation);
  return async (call: Call<unknown>): Promise<Result<Fields, HandlerError>> => {
    const body = await readBody(call);
    return body.map((fields) => ({
      ...fields,
      face: fields['face'] ?? MISSING,
      profile: fields['profile'] ?? MISSING,
      ...(call.id !== '' && { id: call.id }),
    }));
  };
};

const createAnswer = (operation: AnyOperation) => {
  const readFields = createReader(operation);
  return async (call: Call): Answer => {
    const body = await readFields(call);
    if (body.isErr()) return err(body.error);
    if (body.value['from'] === undefined) {
      const created = await answerOf(call, createOf(call, body.value));
      return created.map((session) => createdResponse(call, session));
    }
    return withinBudget(call, async (reservation) => {
      const created = await readWithin(call, reservation, (maxBytes) =>
        createOf(call, body.value, { maxBytes }),
      );
      return created.map((session) => createdResponse(call, session));
    });
  };
};

const createOf = ({ request, sessions }: Call, body: Fields, options?: CreateOptions) =>
  // The response contains only the id, so the history of a session that already exists is not read.
  sessions.create({ ...body, idempotencyKey: idempotencyKeyOf(request), historyLimit: 0 }, options);

const locationOf = ({ request }: Call<unknown>, id: string): string =>
  `${tidyPrefix(request.prefix)}/session/${percentEncode(id)}`;

const createdResponse = (call: Call, { id, repeated }: CreatedSession): HandlerResponse => ({
  status: 201,
  headers: {
    ...commonHeaders,
    Location: locationOf(call, id),
    ...replayedHeaders({ repeated }),
  },
  body: JSON.stringify({ session_id: id }),
});

const getOrCreateAnswer = () => {
  const readFields = createReader(getOrCreate);
  return async (call: Call<TenantOpenings>): Answer => {
    if (!hasMethods(call.sessions, 'getOrCreate')) return lacksMethod(getOrCreate, 'getOrCreate');
    const body = await readFields(call);
    if (body.isErr()) return err(body.error);
    const { historyLimit } = body.value;
    const asked = {
      ...body.value,
      historyLimit: call.form.historyLimit ?? historyLimit ?? undefined,
    };
    return withinBudget(call, async (reservation) => {
      const got = await readWithin(call, reservation, (maxBytes) =>
        call.sessions.getOrCreate(asked, { maxBytes }),
      );
      return got.map((session) => gotResponse(call, session));
    });
  };
};

const gotResponse = (call: Call<unknown>, session: GetOrCreateResult): HandlerResponse => ({
  status: session.created ? 201 : 200,
  headers: { ...commonHeaders, Location: locationOf(call, session.id) },
  body: JSON.stringify({ ...call.form.session(session), created: session.created }),
});

/** Maximum number of history entries that the answer shows. More are not read. */
export const shownHistoryLimit = (
  { request, form }: Pick<Call, 'request' | 'form'>,
  query: Fields,
): number | undefined => {
  if (request.method === 'HEAD') return 0;
  return form.historyLimit ?? numberIn(query, 'historyLimit');
};

const answerList = (call: Call): Answer =>
  withinBudget(call, async (reservation) => {
    const { request, sessions, form } = call;
    const query = parseListQuery(call.query);
    if (query.isErr()) return err(query.error);
    const historyLimit = shownHistoryLimit(call, query.value);
    const asked = { ...query.value, historyLimit };
    const listed = await readWithin(call, reservation, (maxBytes) =>
      sessions.list(asked, { maxBytes }),
    );
    if (listed.isErr()) return err(listed.error);
    const page = listed.value;
    await reservation.waitToWrite();
    if (!Number.isSafeInteger(page.total))
      return err(storeUnavailable('the store returned no total', 'unknown'));
    const path = `${tidyPrefix(request.prefix)}${list.path}`;
    const headers = { ...commonHeaders, ...pageHeaders(path, page, query.value) };
    if (request.method === 'HEAD') return ok({ status: 200, headers });
    return ok({ status: 200, headers, body: JSON.stringify(page.sessions.map(form.item)) });
  });

const answerGet = (call: Call): Answer =>
  withinBudget(call, async (reservation) => {
    const { request, sessions, form, id } = call;
    const query = parseGetQuery(call.query);
    if (query.isErr()) return err(query.error);
    const historyLimit = shownHistoryLimit(call, query.value);
    const found = await readWithin(call, reservation, (maxBytes) =>
      sessions.get(id, { maxBytes, historyLimit }),
    );
    if (found.isErr()) return err(found.error);
    await reservation.waitToWrite();
    const headers = { ...commonHeaders, ...truncationHeaders([found.value], query.value) };
    if (request.method === 'HEAD') return ok({ status: 200, headers });
    return ok({ status: 200, headers, body: JSON.stringify(form.session(found.value)) });
  });

/** The routes of every handler: create, list and get. */
export const sessionRoutes: RouteGroup<TenantSessions> = [
  { operation: create, answer: createAnswer(create) },
  { operation: list, answer: answerList },
  { operation: get, answer: answerGet },
];

/**
 * The commands: `POST /start-session/{session_id}` and those of the other commands, of appends,
 * leases, redactions and deletions. With them, `POST /create-session` also takes `start`, `wake`,
 * `entries` and `from`, and every API key can change, append to and delete the sessions of its
 * tenant.
 *
 * @example
 * ```ts
 * const authenticate = staticApiKeys([{ key: 'key-1', tenant: 'acme' }]);
 * const handler = createSessionHandler({ sessions, authenticate, routes: [commandRoutes()] });
 * const pause = new Request(`https://api.example/pause-session/${id}`, {
 *   method: 'POST',
 *   headers: { 'X-API-KEY': 'key-1' },
 * });
 * console.log((await fetchHandler(handler)(pause)).status); // 200
 * ```
 */
export const commandRoutes = (): RouteGroup<TenantCommands & TenantOpenings & TenantSessions> => [
  { operation: openedCreate, answer: createAnswer(openedCreate) },
  { operation: createWithId, answer: createAnswer(createWithId) },
  { operation: getOrCreate, answer: getOrCreateAnswer() },
  ...commandOperations.map((operation) => ({ operation })),
];

/**
 * `GET /session/{session_id}/history`: a part of a history, the last entries or those after a
 * position. It reveals nothing beyond `GET /session/{session_id}`.
 *
 * @example
 * ```ts
 * const authenticate = staticApiKeys([{ key: 'key-1', tenant: 'acme' }]);
 * const handler = createSessionHandler({ sessions, authenticate, routes: [historyRoutes()] });
 * const headers = { 'X-API-KEY': 'key-1' };
 * const last = new Request(`https://api.example/session/${id}/history?last=1`, { headers });
 * console.log((await fetchHandler(handler)(last)).status); // 200
 * ```
 */
export const historyRoutes = (): RouteGroup<TenantHistories> =>
  historyOperations.map((operation) => ({ operation }));
