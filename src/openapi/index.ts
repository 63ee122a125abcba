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
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  RequestBody,
  Response,
  SecurityScheme,
  Server,
} from './types.js';
