import { err, ok } from 'neverthrow';
import type { Fields } from '../input/parse-fields.js';
import { commandOperations } from '../operations/command-operations.js';
import { type AnyOperation, percentEncode } from '../operations/operation.js';
import { create, get, historyOperations, list, openedCreate } from '../operations/session-operations.js';
import type { TenantCommands, TenantHistories, TenantSessions } from '../operations/tenant-sessions.js';
import type { CreateOptions } from '../service/create-session.js';
import { storeUnavailable } from '../session/errors.js';
import type { CreatedSession } from '../session/session.js';
import { replayedHeaders } from './answer-from-service.js';
import { answerOf } from './answer-of.js';
import { bodyReader, idempotencyKeyOf, queryParser } from './input-reader.js';
import { pageHeaders, truncationHeaders } from './page-headers.js';
import { commonHeaders } from './problem.js';
import type { Answer, Call, RouteGroup } from './route.js';
import { tidyPrefix } from './router-of.js';
import type { HandlerResponse } from './session-handler.js';
import { readWithin, withinBudget } from './within-budget.js';

const parseListQuery = queryParser(list);
const parseGetQuery = queryParser(get);

const createAnswer = (operation: AnyOperation) => {
  const readBody = bodyReader(operation);
  return async (call: Call): Answer => {
    const body = await readBody(call);
    if (body.isErr()) return err(body.error);
    if (body.value['from'] === undefined) {
      const created = await answerOf(call, createOf(call, body.value));
      return created.map((session) => createdResponse(call, session));
    }
    return withinBudget(call, async (reservation) => {
      const created = await readWithin(call, reservation, (maxBytes) => createOf(call, body.value, { maxBytes }));
      return created.map((session) => createdResponse(call, session));
    });
  };
};

const createOf = ({ request, sessions }: Call, body: Fields, options?: CreateOptions) =>
  // The response contains only the id, so the history of a session that already exists is not read.
  sessions.create({ ...body, idempotencyKey: idempotencyKeyOf(request), historyLimit: 0 }, options);

const createdResponse = ({ request }: Call, { id, repeated }: CreatedSession): HandlerResponse => ({
  status: 201,
  headers: {
    ...commonHeaders,
    Location: `${tidyPrefix(request.prefix)}/session/${percentEncode(id)}`,
    ...replayedHeaders({ repeated }),
  },
  body: JSON.stringify({ session_id: id }),
});

/** Maximum number of history entries that the answer shows. More are not read. */
export const shownHistoryLimit = (
  { request, form }: Pick<Call, 'request' | 'form'>,
  { historyLimit }: Fields,
): number | undefined => {
  if (request.method === 'HEAD') return 0;
  return form.historyLimit ?? (typeof historyLimit === 'number' ? historyLimit : undefined);
};

const answerList = (call: Call): Answer =>
  withinBudget(call, async (reservation) => {
    const { request, sessions, form } = call;
    const query = parseListQuery(call.query);
    if (query.isErr()) return err(query.error);
    const historyLimit = shownHistoryLimit(call, query.value);
    const asked = historyLimit === query.value['historyLimit'] ? query.value : { ...query.value, historyLimit };
    const listed = await readWithin(call, reservation, (maxBytes) => sessions.list(asked, { maxBytes }));
    if (listed.isErr()) return err(listed.error);
    const page = listed.value;
    await reservation.turn();
    if (!Number.isSafeInteger(page.total)) return err(storeUnavailable('the store returned no total', 'unknown'));
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
    const found = await readWithin(call, reservation, (maxBytes) => sessions.get(id, { maxBytes, historyLimit }));
    if (found.isErr()) return err(found.error);
    await reservation.turn();
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
 * The commands, for `createSessionHandler({ routes: [commandRoutes()] })`: `POST /start-session/{session_id}` and
 * those of the other commands, of appends, leases, redactions and deletions. With them, `POST /create-session` also
 * takes `start`, `entries` and `from`, and every API key can change, append to and delete the sessions of its tenant.
 */
export const commandRoutes = (): RouteGroup<TenantCommands & TenantSessions> => [
  { operation: openedCreate, answer: createAnswer(openedCreate) },
  ...commandOperations.map((operation) => ({ operation })),
];

/**
 * `GET /session/{session_id}/history`, for `createSessionHandler({ routes: [historyRoutes()] })`: a part of a history,
 * the last entries or those after a position. It reveals nothing beyond `GET /session/{session_id}`.
 */
export const historyRoutes = (): RouteGroup<TenantHistories> => historyOperations.map((operation) => ({ operation }));
