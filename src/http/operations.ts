import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import { wireNames } from '../input/wire-names.js';
import { type Answer, answerOf, type Call, decodeId, type RouteOf } from './call.js';
import { command } from './commands.js';
import type { HandlerError } from './errors.js';
import { events } from './events.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { readJsonObject } from './json-body.js';
import type { HandlerResponse } from './message.js';
import { pageHeaders } from './page-headers.js';
import { readPageQuery } from './page-query.js';
import { percentEncode, tidyPrefix } from './prefix.js';
import { commonHeaders } from './problem.js';
import type { Json } from './session-writer.js';

const create = async (call: Call<RouteOf<'create'>>): Answer => {
  const { request, sessions, settings } = call;
  const body = await readJsonObject(request, settings.maxBodyBytes);
  if (body.isErr()) return err(body.error);
  const { face, profile, behavior, context, [wireNames.timeLimit]: timeLimit } = body.value;
  const input = { face, profile, behavior, context, timeLimit, idempotencyKey: idempotencyKeyOf(request) };
  const created = await answerOf(call, sessions.create(input));
  return created.map(({ id }) => ({
    status: 201,
    headers: { ...commonHeaders, Location: `${tidyPrefix(request.prefix)}/session/${percentEncode(id)}` },
    body: JSON.stringify({ session_id: id }),
  }));
};

const lengthOf = ({ bytes }: Json): Readonly<Record<string, string>> =>
  bytes === undefined ? {} : { 'Content-Length': String(bytes) };

const list = async (call: Call<RouteOf<'list'>>): Answer => {
  const { request, route, sessions, settings } = call;
  const query = readPageQuery(route.query);
  if (query.isErr()) return err(query.error);
  const listed = await answerOf(call, sessions.list(query.value));
  return listed.andThen((page): Result<HandlerResponse, HandlerError> => {
    if (!Number.isSafeInteger(page.total)) return err(storeUnavailable('the store gave no total', 'unknown'));
    const json = settings.writer.page(page.sessions);
    const path = `${tidyPrefix(request.prefix)}/sessions`;
    return ok({
      status: 200,
      headers: { ...commonHeaders, ...pageHeaders(path, page, query.value), ...lengthOf(json) },
      body: json.text,
    });
  });
};

const get = async (call: Call<RouteOf<'get'>>): Answer => {
  const id = decodeId(call.route.encodedId);
  if (id.isErr()) return err(id.error);
  const found = await answerOf(call, call.sessions.get(id.value));
  return found.map((session) => {
    const json = call.settings.writer.session(session);
    return { status: 200, headers: { ...commonHeaders, ...lengthOf(json) }, body: json.text };
  });
};

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
