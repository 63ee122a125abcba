import { err, ok, type Result } from 'neverthrow';
import { commandOperations } from '../endpoints/command-endpoints.js';
import { type AnyOperation, percentEncode } from '../endpoints/endpoint.js';
import { created } from '../endpoints/outputs.js';
import {
  historyOperations,
  servedCreate,
  servedCreateWithId,
  servedGet,
  servedGetOrCreate,
  servedList,
  servedOpenedCreate,
} from '../endpoints/session-endpoints.js';
import type {
  TenantCommands,
  TenantHistories,
  TenantOpenings,
  TenantSessions,
} from '../endpoints/tenant-sessions.js';
import { MISSING } from '../schema/values.js';
import { sent } from '../schema/wire.js';
import type { GetOrCreateResult, SessionPage } from '../service/operation-results.js';
import { type StoreUnavailable, storeUnavailable } from '../session/errors.js';
import type { Fields } from '../session/fields.js';
import type { CreatedSession } from '../session/session.js';
import { replayedHeaders } from './answer-from-service.js';
import { answerOf } from './answer-of.js';
import type { HandlerError } from './handler-error.js';
import { inputReader, numberIn, queryParser } from './input-reader.js';
import { pageHeaders, truncationHeaders } from './page-headers.js';
import { commonHeaders, jsonResponse } from './problem.js';
import { requiringMethod } from './requiring-method.js';
import type { Answer, Call, RouteGroup } from './route.js';
import { tidyPrefix } from './router-of.js';
import type { HandlerRequest, HandlerResponse } from './session-handler.js';
import { answerWithin } from './within-pending-bytes.js';

const parseListQuery = queryParser(servedList);
const parseGetQuery = queryParser(servedGet);

/** A host may leave out the face and the profile; a request may not. */
const createReader = (operation: AnyOperation) => {
  const readInput = inputReader(operation);
  return async (call: Call<unknown>): Promise<Result<Fields, HandlerError>> => {
    const input = await readInput(call);
    return input.map(({ id, body, options }) => ({
      ...body,
      ...options,
      face: body['face'] ?? MISSING,
      profile: body['profile'] ?? MISSING,
      ...(id !== '' && { id }),
    }));
  };
};

const createAnswer = (operation: AnyOperation) => {
  const readFields = createReader(operation);
  return async (call: Call): Answer => {
    const fields = await readFields(call);
    if (fields.isErr()) return err(fields.error);
    // The response contains only the id, so the history of an earlier session is not read.
    const input = { ...fields.value, historyLimit: 0 };
    const created = await answerOf(call, call.sessions.create(input));
    return created.map((session) => createdResponse(call, session));
  };
};

const locationOf = ({ request }: Call<unknown>, id: string): string =>
  `${tidyPrefix(request.prefix)}/session/${percentEncode(id)}`;

const createdResponse = (call: Call, { id, repeated }: CreatedSession): HandlerResponse => {
  const headers = { Location: locationOf(call, id), ...replayedHeaders({ repeated }) };
  return jsonResponse(201, headers, sent(created, { id }));
};

const getOrCreateAnswer = () => {
  const readFields = createReader(servedGetOrCreate);
  return requiringMethod('getOrCreate', async (call: Call<TenantOpenings>): Answer => {
    const fields = await readFields(call);
    if (fields.isErr()) return err(fields.error);
    const { historyLimit } = fields.value;
    const asked = {
      ...fields.value,
      historyLimit: call.form.historyLimit ?? historyLimit ?? undefined,
    };
    return answerWithin(
      call,
      (maxBytes) => call.sessions.getOrCreate(asked, { maxBytes }),
      (session) => gotResponse(call, session),
    );
  });
};

const gotResponse = (call: Call<unknown>, session: GetOrCreateResult): HandlerResponse => {
  const headers = { Location: locationOf(call, session.id) };
  const shown = { ...call.form.session(session), created: session.created };
  return jsonResponse(session.created ? 201 : 200, headers, shown);
};

export const shownHistoryLimit = (
  { request, form }: Pick<Call, 'request' | 'form'>,
  query: Fields,
): number | undefined => {
  if (request.method === 'HEAD') return 0;
  return form.historyLimit ?? numberIn(query, 'historyLimit');
};

const checkTotal = (page: SessionPage): Result<SessionPage, StoreUnavailable> => {
  if (Number.isSafeInteger(page.total)) return ok(page);
  return err(storeUnavailable('the store returned no total', 'unknown'));
};

/**
 * A HEAD reads no history, so its body would differ from the body of the GET.
 */
const readResponse = (
  { method }: HandlerRequest,
  headers: HandlerResponse['headers'],
  value: unknown,
): HandlerResponse => {
  if (method === 'HEAD') return { status: 200, headers: { ...commonHeaders, ...headers } };
  return jsonResponse(200, headers, value);
};

const answerList = async (call: Call): Answer => {
  const { request, sessions, form } = call;
  const query = parseListQuery(call);
  if (query.isErr()) return err(query.error);
  const asked = { ...query.value, historyLimit: shownHistoryLimit(call, query.value) };
  const path = `${tidyPrefix(request.prefix)}${servedList.path}`;
  return answerWithin(
    call,
    (maxBytes) => sessions.list(asked, { maxBytes }).andThen(checkTotal),
    (page) =>
      readResponse(request, pageHeaders(path, page, query.value), page.sessions.map(form.item)),
  );
};

const answerGet = async (call: Call): Answer => {
  const { request, sessions, form, id } = call;
  const query = parseGetQuery(call);
  if (query.isErr()) return err(query.error);
  const historyLimit = shownHistoryLimit(call, query.value);
  return answerWithin(
    call,
    (maxBytes) => sessions.get(id, { maxBytes, historyLimit }),
    (session) =>
      readResponse(request, truncationHeaders([session], query.value), form.session(session)),
  );
};

export const sessionRoutes: RouteGroup<TenantSessions> = [
  { operation: servedCreate, answer: createAnswer(servedCreate) },
  { operation: servedList, answer: answerList },
  { operation: servedGet, answer: answerGet },
];

/**
 * Routes that change sessions: `POST /start-session/{session_id}` and the other commands, appends,
 * leases, redactions and deletions. With them, `POST /create-session` also accepts `start`, `wake`,
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
  { operation: servedOpenedCreate, answer: createAnswer(servedOpenedCreate) },
  { operation: servedCreateWithId, answer: createAnswer(servedCreateWithId) },
  { operation: servedGetOrCreate, answer: getOrCreateAnswer() },
  ...commandOperations().map((operation) => ({ operation })),
];

/**
 * `GET /session/{session_id}/history`: a part of a history, the last entries or the entries after a
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
