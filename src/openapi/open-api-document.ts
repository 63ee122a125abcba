import { ok } from 'neverthrow';
import type { Operation } from '../endpoints/endpoint.js';
import { sessionOperations } from '../endpoints/session-endpoints.js';
import { commonHeaders } from '../http/problem.js';
import type { Answer, Call, HandlerContext, Route, RouteGroup } from '../http/route.js';
import { routeGroups } from '../http/route-groups.js';
import { isOpen, tidyPrefix } from '../http/router-of.js';
import { anyPolicy, type InputPolicy } from '../input/input-policy.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, plain, type Schema, typed } from '../schema/schema.js';
import { anyText, name, onOrOff, whole } from '../schema/values.js';
import { isFields } from '../session/fields.js';
import { deepFreeze } from '../session/json.js';
import { exampleMaker } from './example-of.js';
import { pathsOf } from './paths-of.js';
import { Components, headerComponents } from './responses-of.js';
import { schemasOf } from './schemas-of.js';
import type { Example, OpenApiDocument, Parameter, Response, Server } from './types.js';

/** Options of `openApiDocument`. */
export interface OpenApiOptions {
  /**
   * The groups of routes that the handler serves. Create, list and get are always included.
   * Default: none.
   */
  readonly routes?: readonly RouteGroup<never>[] | undefined;
  /**
   * The service whose limits, faces, profiles and schemas are described. Default: those of a
   * service without these options.
   */
  readonly sessions?: { readonly policy?: InputPolicy | undefined } | undefined;
  /** Maximum bytes in a request body, from 1, as given to the handler. Default: not described. */
  readonly maxBodyBytes?: number | undefined;
  /** Prefix of all paths, for example `/api`. Default: none. */
  readonly prefix?: string | undefined;
  /** Base URLs of the API. Default: the prefix, on the host that serves the document. */
  readonly servers?: readonly Server[] | undefined;
  /** The title, 1 to 256 characters. Default: `Sessions`. */
  readonly title?: string | undefined;
  /** The version of the host's API, 1 to 256 characters. Default: `1.0.0`. */
  readonly version?: string | undefined;
}

const MAX_CHARACTERS = 256;

const isServer = (value: unknown): boolean => isFields(value) && typeof value['url'] === 'string';

const areServers = (value: unknown): value is readonly Server[] =>
  Array.isArray(value) && value.length > 0 && value.every(isServer);

const SERVERS_RULE = 'must be an array of at least one { url, description? }';

const serversOf = (servers: readonly Server[] | undefined, prefix: string): readonly Server[] => {
  if (servers === undefined) return [{ url: prefix || '/' }];
  return servers.map(({ url, description }) => ({
    url,
    ...(typeof description === 'string' && { description }),
  }));
};

const describeInterface = (maxBodyBytes: number | undefined): string => {
  const size = maxBodyBytes ? `, in at most ${maxBodyBytes} bytes` : '';
  return (
    'Interaction sessions. Every error has the form of RFC 9457, with a `code`. ' +
    'A path of GET answers HEAD too, with the same headers and without a body. ' +
    `Bodies are sent as application/json, in UTF-8 and uncompressed${size}. ` +
    'Unknown fields of a body are ignored, and unknown parameters unless they are near misses; ' +
    'with `Prefer: handling=strict` (RFC 7240) both are refused. ' +
    'An integer that a double cannot hold exactly is refused: send it as a string. ' +
    'Times are RFC 3339, in answers in UTC. ' +
    'Where a bound is in bytes, a schema says only as much of it as characters can.'
  );
};

/** Descriptions of tags. Tags of a host's own operations have none. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Sessions: 'Create, list and get.',
  Histories: 'A history by parts.',
  Commands: 'The state machine, the history, and deletion.',
  Events: 'Changes, as they happen.',
  Description: 'The interface, described.',
};

const told = {
  title: optional(name(MAX_CHARACTERS), 'Sessions'),
  version: optional(name(MAX_CHARACTERS), '1.0.0'),
  servers: optional(typed(areServers, SERVERS_RULE, undefined)),
};

const optionSchemas = {
  ...told,
  routes: routeGroups,
  sessions: optional(typed(isFields, 'must be a SessionService', undefined)),
  maxBodyBytes: optional(whole(1)),
  prefix: optional(anyText, ''),
} satisfies Readonly<Record<keyof OpenApiOptions, Schema<unknown>>>;

const read = optionsOf('openApiDocument', optionSchemas);

type Served = Pick<Route<never>, 'operation' | 'authenticate'>;

const servedBy = (groups: OpenApiOptions['routes'] = []): readonly Served[] => {
  const own = sessionOperations.map((operation): Served => ({ operation }));
  const all = [...own, ...groups.flat()];
  // A handler's routes contain create, list and get.
  const routes = new Map(all.map((route) => [route.operation.path, route]));
  return [...routes.values()].filter(({ operation }) => !isOpen(operation));
};

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-KEY',
  description: 'The key of a tenant.',
} as const;

const compose = (options: OpenApiOptions): OpenApiDocument => {
  const { maxBodyBytes, prefix, servers, title, version } = read(options);
  const { policy = anyPolicy } = options.sessions ?? {};
  const served = servedBy(options.routes);
  const operations = served.map(({ operation }) => operation);
  const schemas = schemasOf(operations, policy);
  const shared = {
    parameters: new Components<Parameter>('parameters'),
    responses: new Components<Response>('responses'),
    examples: new Components<Example>('examples'),
    exampleOf: exampleMaker(schemas),
  };
  const paths = pathsOf(served, shared);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return {
    openapi: '3.1.1',
    info: {
      title,
      version,
      description: describeInterface(maxBodyBytes),
    },
    servers: serversOf(servers, prefix),
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: {
      parameters: shared.parameters.all,
      headers: headerComponents,
      schemas,
      responses: shared.responses.all,
      examples: shared.examples.all,
      securitySchemes: { apiKey },
    },
  };
};

/**
 * Creates the OpenAPI 3.1 document of the HTTP API: plain JSON, frozen. It is made from the
 * definitions of the operations and the table of errors that the handler uses. Throws a `TypeError`
 * that names every invalid or unknown option.
 */
export const openApiDocument = (options: OpenApiOptions = {}): OpenApiDocument =>
  deepFreeze(compose(options));

/** Options of `openApiRoute`. Routes, limits and prefix come from the handler. */
export interface OpenApiRouteOptions extends Pick<OpenApiOptions, 'title' | 'version' | 'servers'> {
  /** Allow reads without an API key. Default: false. */
  readonly public?: boolean | undefined;
}

const describe: Operation = {
  name: 'describe',
  tag: 'Description',
  summary: 'This document',
  method: 'GET',
  path: '/openapi.json',
  errors: [],
  output: {
    status: 200,
    description: 'This document.',
    body: plain({ type: 'object' }),
  },
};

const readRoute = optionsOf('openApiRoute', {
  ...told,
  public: onOrOff,
} satisfies Readonly<Record<keyof OpenApiRouteOptions, Schema<unknown>>>);

/**
 * Serves the OpenAPI document of the handler at `GET /openapi.json`, for `createSessionHandler({
 * routes: [openApiRoute()] })`. It describes all routes of the handler, and the limits and names of
 * its service. Throws a `TypeError` that names every invalid or unknown option.
 */
export const openApiRoute = (options: OpenApiRouteOptions = {}): RouteGroup => {
  const { public: isPublic, ...told } = readRoute(options);
  const bodyFor = ({ routes, policy, maxBodyBytes }: HandlerContext, prefix: string): string => {
    const sessions = { ...(policy && { policy }) };
    const served = { routes: [routes], sessions, maxBodyBytes, prefix };
    return JSON.stringify(openApiDocument({ ...told, ...served }));
  };
  /**
   * The document of the last prefix; most hosts have only one. A public document must cost next to
   * nothing per request.
   */
  let last = { handler: undefined as HandlerContext | undefined, prefix: '', body: '' };
  const answer = async ({ handler, request }: Call): Answer => {
    const prefix = tidyPrefix(request.prefix);
    if (last.handler !== handler || last.prefix !== prefix)
      last = { handler, prefix, body: bodyFor(handler, prefix) };
    return ok({ status: 200, headers: commonHeaders, body: last.body });
  };
  return [{ operation: describe, ...(isPublic && { authenticate: 'everybody' }), answer }];
};
