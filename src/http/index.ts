export type { Operation, OperationInput, Output } from '../endpoints/endpoint.js';
export type {
  TenantCommands,
  TenantEvents,
  TenantHistories,
  TenantMessages,
  TenantOpenings,
  TenantSessions,
} from '../endpoints/tenant-sessions.js';
export type { JsonSchema } from '../schema/json-schema.js';
export { type ObjectSchema, object } from '../schema/object.js';
export { named, optional, plain, type Schema } from '../schema/schema.js';
export { answerOf } from './answer-of.js';
export { createSessionHandler } from './create-session-handler.js';
export { type EventRoutesOptions, eventRoutes } from './event-routes.js';
export type {
  AuthenticatorUnavailable,
  BodyTooLarge,
  HandlerError,
  MethodNotAllowed,
  RouteNotFound,
  Unauthenticated,
  UnsupportedMediaType,
} from './handler-error.js';
export type { Logger } from './logger.js';
export { type MessageRoutesOptions, messageRoutes } from './message-routes.js';
export { routeNotFound } from './problem.js';
export type { Answer, Call, HandlerContext, Route, RouteGroup } from './route.js';
export type {
  Authenticate,
  AuthenticationRequest,
  BodyReading,
  DeniedRequest,
  HandlerRequest,
  HandlerResponse,
  SessionHandler,
} from './session-handler.js';
export type { SessionHandlerOptions } from './session-handler-options.js';
export { commandRoutes, historyRoutes } from './session-routes.js';
export type { ApiKey } from './static-api-keys.js';
export { staticApiKeys } from './static-api-keys.js';
