export {
  type OpenApiOptions,
  type OpenApiRouteOptions,
  openApiDocument,
  openApiRoute,
} from './open-api-document.js';
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
