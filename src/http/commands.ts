import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import type { OperationOptions } from '../service/change-session.js';
import { toWireState } from '../wire.js';
import { type Answer, answerOf, type Call, decodeId, type RouteOf } from './call.js';
import { type HandlerError, misconfigured } from './errors.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { readJsonObject } from './json-body.js';
import type { HandlerRequest, HandlerResponse } from './message.js';
import { commonHeaders } from './problem.js';
import type { CommandRoute } from './routes.js';
import type { TenantCommands, TenantSessions } from './tenant-sessions.js';

type Commanded = TenantSessions & TenantCommands;

const names = [
  'start',
  'pause',
  'resume',
  'terminate',
  'fail',
  'append',
  'delete',
] as const satisfies readonly (keyof TenantCommands)[];

/** A host that writes JavaScript may have switched the commands on over sessions that take none. */
const takesCommands = (sessions: TenantSessions): sessions is Commanded =>
  names.every((name) => typeof Reflect.get(sessions, name) === 'function');

/** A client's name for this one write, of which the service says what characters it may have. */
const operationOf = (request: HandlerRequest): OperationOptions => {
  const operationId = idempotencyKeyOf(request);
  return operationId === undefined ? {} : { operationId };
};

const move = async (call: Call<RouteOf<'move'>, Commanded>, id: string): Answer => {
  const { request, route, sessions } = call;
  const moved = await answerOf(call, sessions[route.command](id, operationOf(request)));
  return moved.map((state) => ({ status: 200, headers: commonHeaders, body: JSON.stringify(toWireState(state)) }));
};

const append = async (call: Call<RouteOf<'append'>, Commanded>, id: string): Answer => {
  const { request, sessions, settings } = call;
  const body = await readJsonObject(request, settings.maxBodyBytes);
  if (body.isErr()) return err(body.error);
  const appended = await answerOf(call, sessions.append(id, body.value['entries'], operationOf(request)));
  return appended.andThen(({ position }): Result<HandlerResponse, HandlerError> => {
    if (!Number.isSafeInteger(position)) return err(storeUnavailable('the store gave no position', 'unknown'));
    return ok({ status: 200, headers: commonHeaders, body: JSON.stringify({ position }) });
  });
};

/** Of an answer that has no body. */
const bareHeaders = Object.freeze({ 'Cache-Control': commonHeaders['Cache-Control'] });

const remove = async (call: Call<RouteOf<'delete'>, Commanded>, id: string): Answer => {
  const deleted = await answerOf(call, call.sessions.delete(id));
  return deleted.map(() => ({ status: 204, headers: bareHeaders }));
};

/** Carries out a command, where the host has switched them on. */
export const command = async (call: Call<CommandRoute>): Answer => {
  const { route, sessions } = call;
  if (!takesCommands(sessions)) {
    return err(misconfigured([{ path: 'sessions', message: `must have ${names.join(', ')} where commands is true` }]));
  }
  const id = decodeId(route.encodedId);
  if (id.isErr()) return err(id.error);
  switch (route.operation) {
    case 'move':
      return move({ ...call, sessions, route }, id.value);
    case 'append':
      return append({ ...call, sessions, route }, id.value);
    case 'delete':
      return remove({ ...call, sessions, route }, id.value);
  }
};
