import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type InvalidInput, invalidInput, type SessionError, storeUnavailable } from '../errors.js';
import type { HandlerError } from './errors.js';
import { readJsonObject } from './json-body.js';
import type { HandlerRequest, HandlerResponse } from './message.js';
import type { HandlerSettings, TenantSessions } from './options.js';
import { pageHeaders } from './page-headers.js';
import { readPageQuery } from './page-query.js';
import { percentEncode, tidyPrefix } from './prefix.js';
import { commonHeaders, isSessionError } from './problem.js';
import type { Route } from './routes.js';
import type { Json } from './session-writer.js';
import { inWireNames } from './wire-paths.js';
import { late, within } from './within.js';

type Answer = Promise<Result<HandlerResponse, HandlerError>>;

/** What an operation works with. */
export interface Call<R extends Route = Route> {
  readonly settings: HandlerSettings;
  readonly sessions: TenantSessions;
  readonly request: HandlerRequest;
  readonly route: R;
}

type RouteOf<O extends Route['operation']> = Extract<Route, { readonly operation: O }>;

const inClientTerms = (error: SessionError): HandlerError => {
  if (error.type === 'invalid_input') return inWireNames(error);
  return isSessionError(error) ? error : storeUnavailable('the store gave an unknown error', 'unknown', error);
};

/** The service's answer, in time and in the client's names. */
const answerOf = async <T, E extends SessionError>(
  { settings }: Call,
  answer: ResultAsync<T, E>,
): Promise<Result<T, HandlerError>> => {
  const result = await within(settings.timeoutMs, answer);
  if (result === late) return err(storeUnavailable('the store took too long to answer', 'unknown'));
  return result.mapErr(inClientTerms);
};

const create = async (call: Call<RouteOf<'create'>>): Answer => {
  const { request, sessions, settings } = call;
  const body = await readJsonObject(request, settings.maxBodyBytes);
  if (body.isErr()) return err(body.error);
  const { face, profile, behavior, context, time_limit: timeLimit } = body.value;
  const idempotencyKey = request.header('idempotency-key');
  const input = { face, profile, behavior, context, timeLimit, idempotencyKey };
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
      headers: { ...commonHeaders, ...pageHeaders(path, page), ...lengthOf(json) },
      body: json.text,
    });
  });
};

const decodeId = (encoded: string): Result<string, InvalidInput> => {
  try {
    return ok(decodeURIComponent(encoded));
  } catch {
    return err(invalidInput([{ path: 'session_id', message: 'must be percent-encoded UTF-8' }]));
  }
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
  }
};
