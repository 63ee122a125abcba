export type { ApiKey } from './api-keys.js';
export { staticApiKeys } from './api-keys.js';
export type { Authenticate, AuthenticationRequest, DeniedRequest } from './authenticate.js';
export type { Describe, HttpSurface, OpenApiServing } from './description.js';
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
export { createSessionHandler } from './handler.js';
export type { Inspector } from './inspector.js';
export type { BodyReading, HandlerRequest, HandlerResponse, SessionHandler } from './message.js';
export type { EventsOptions, SessionHandlerOptions } from './options.js';
export { routeNotFound } from './problem.js';
export type { TenantCommands, TenantEvents, TenantHistories, TenantSessions } from './tenant-sessions.js';
