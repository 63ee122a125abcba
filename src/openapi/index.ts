export type { OpenApiOptions } from './open-api-document.js';
export { openApiDocument } from './open-api-document.js';
export { type OpenApiRouteOptions, openApiRoute } from './open-api-route.js';
export type {
  Example,
  Header,
  Json,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  RequestBody,
  Response,
  Schema,
  SecurityScheme,
  Server,
} from './types.js';
