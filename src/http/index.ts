export type { Operation, OperationInput, Output } from '../operations/operation.js';
export type { Schema, Shape } from '../operations/shape.js';
export type { TenantCommands, TenantEvents, TenantHistories, TenantSessions } from '../operations/tenant-sessions.js';
export { answerOf } from './answer.js';
export type { ApiKey } from './api-keys.js';
export { staticApiKeys } from './api-keys.js';
export type { Authenticate, AuthenticationRequest, DeniedRequest } from './authentication.js';
export type {
  AuthenticatorUnavailable,
  BodyTooLarge,
  HandlerError,
  MethodNotAllowed,
  Misconfigured,
  RouteNotFound,
  Unauthenticated,
  UnsupportedMediaType,
} from './errors.js';
export { type EventRoutesOptions, eventRoutes } from './event-routes.js';
export { createSessionHandler } from './handler.js';
export type { BodyReading, HandlerRequest, HandlerResponse, SessionHandler } from './message.js';
export type { SessionHandlerOptions } from './options.js';
export { routeNotFound } from './problem.js';
export type { Answer, Call, HandlerContext, Route, RouteGroup } from './route.js';
export { commandRoutes, historyRoutes } from './session-routes.js';
