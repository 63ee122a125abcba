import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import { wireNames } from '../wire.js';
import { type Answer, answerOf, type Call, decodeId, type RouteOf } from './call.js';
import { command } from './commands.js';
import type { HandlerError } from './errors.js';
import { events } from './events.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { readJsonObject } from './json-body.js';
import type { HandlerResponse } from './message.js';
import { pageHeaders, truncationHeaders } from './page-headers.js';
import { readGetQuery, readPageQuery } from './page-query.js';
import { percentEncode, tidyPrefix } from './prefix.js';
import { commonHeaders } from './problem.js';
import { withinBudget } from './within-budget.js';

const create = async (call: Call<RouteOf<'create'>>): Answer => {
  const { request, sessions, settings } = call;
  const body = await readJsonObject(request, settings.maxBodyBytes);
  if (body.isErr()) return err(body.error);
  const { face, profile, behavior, context, [wireNames.timeLimit]: timeLimit } = body.value;
  // Only the id is answered: the history of a session that was created before must cost nothing.
  const input = {
    face,
    profile,
    behavior,
    context,
    timeLimit,
    idempotencyKey: idempotencyKeyOf(request),
    historyLimit: 0,
  };
  const created = await answerOf(call, sessions.create(input));
  return created.map(({ id }) => ({
    status: 201,
    headers: { ...commonHeaders, Location: `${tidyPrefix(request.prefix)}/session/${percentEncode(id)}` },
    body: JSON.stringify({ session_id: id }),
  }));
};

/** How many entries of a history the answer shows. More are not read. */
const shownHistoryLimit = ({ request, settings }: Call, asked: number | undefined): number | undefined =>
  request.method === 'HEAD' ? 0 : (settings.form.historyLimit ?? asked);

const list = (call: Call<RouteOf<'list'>>): Answer =>
  withinBudget(call, async ({ admit, turn }) => {
    const { request, route, sessions, settings } = call;
    const query = readPageQuery(route.query);
    if (query.isErr()) return err(query.error);
    const historyLimit = shownHistoryLimit(call, query.value.historyLimit);
    const listed = await answerOf(call, sessions.list({ ...query.value, historyLimit }, { admit }));
    await turn();
    return listed.andThen((page): Result<HandlerResponse, HandlerError> => {
      if (!Number.isSafeInteger(page.total)) return err(storeUnavailable('the store gave no total', 'unknown'));
      const path = `${tidyPrefix(request.prefix)}/sessions`;
      const headers = { ...commonHeaders, ...pageHeaders(path, page, query.value) };
      if (request.method === 'HEAD') return ok({ status: 200, headers });
      return ok({ status: 200, headers, body: JSON.stringify(page.sessions.map(settings.form.item)) });
    });
  });

const get = (call: Call<RouteOf<'get'>>): Answer =>
  withinBudget(call, async ({ admit, turn }) => {
    const { request, route, sessions, settings } = call;
    const id = decodeId(route.encodedId);
    if (id.isErr()) return err(id.error);
    const query = readGetQuery(route.query);
    if (query.isErr()) return err(query.error);
    const historyLimit = shownHistoryLimit(call, query.value.historyLimit);
    const found = await answerOf(call, sessions.get(id.value, { admit, historyLimit }));
    await turn();
    return found.map((session): HandlerResponse => {
      const headers = { ...commonHeaders, ...truncationHeaders([session], query.value) };
      if (request.method === 'HEAD') return { status: 200, headers };
      return { status: 200, headers, body: JSON.stringify(settings.form.session(session)) };
    });
  });

/** Carries out the operation that a request asks for. */
export const perform = (call: Call): Answer => {
  const { route } = call;
  switch (route.operation) {
    case 'create':
      return create({ ...call, route });
    case 'list':
      return list({ ...call, route });
    case 'get':
      return get({ ...call, route });
    case 'events':
      return events({ ...call, route });
    case 'move':
    case 'append':
    case 'delete':
      return command({ ...call, route });
  }
};
