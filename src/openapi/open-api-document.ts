import { ok } from 'neverthrow';
import { parseGroups } from '../http/parse-groups.js';
import { commonHeaders } from '../http/problem.js';
import type { Answer, Call, HandlerContext, Route, RouteGroup } from '../http/route.js';
import { isOpen, tidyPrefix } from '../http/router-of.js';
import { type GivenPolicy, type InputPolicy, parsePolicy } from '../input/input-policy.js';
import type { IssueList } from '../input/issue-list.js';
import { parseName, parseSwitch } from '../input/parse-fields.js';
import { parseOptions } from '../input/parse-options.js';
import type { Operation } from '../operations/operation.js';
import { sessionOperations } from '../operations/session-operations.js';
import { plain } from '../operations/shape.js';
import { deepFreeze } from '../session/deep-freeze.js';
import { isFields } from '../session/fields.js';
import { defaultLimits } from '../session/limits.js';
import { pathsOf } from './paths-of.js';
import { headerComponents } from './responses-of.js';
import { schemasOf } from './schemas-of.js';
import type { OpenApiDocument, Server } from './types.js';

/** Options of `openApiDocument`. */
export interface OpenApiOptions {
  /**
   * The groups of routes that the handler serves. Create, list and get are always included.
   * Default: none.
   */
  readonly routes?: readonly RouteGroup<never>[] | undefined;
  /**
   * The service whose limits, faces and profiles are described. Default: those of the options
   * below.
   */
  readonly sessions?: { readonly policy?: InputPolicy | undefined } | undefined;
  /**
   * The `limits`, `faces` and `profiles` of the service, if `sessions` is not available. Each
   * overrides `sessions`.
   */
  readonly limits?: GivenPolicy['limits'];
  /** The allowed faces. Default: those of `sessions`. */
  readonly faces?: GivenPolicy['faces'];
  /** The allowed profiles. Default: those of `sessions`. */
  readonly profiles?: GivenPolicy['profiles'];
  /** Maximum bytes in a request body, as given to the handler. Default: not described. */
  readonly maxBodyBytes?: number | undefined;
  /** Prefix of all paths, such as `/api`. Default: none. */
  readonly prefix?: string | undefined;
  /** Base URLs of the API. Default: the prefix, on the host that serves the document. */
  readonly servers?: readonly Server[] | undefined;
  /** Default: `Sessions`. */
  readonly title?: string | undefined;
  /** The version of the host's API. Default: `1.0.0`. */
  readonly version?: string | undefined;
}

const MAX_CHARACTERS = 256;

const parseServers = (issues: IssueList, servers: unknown, prefix: string): readonly Server[] => {
  if (servers === undefined) return [{ url: prefix || '/' }];
  const fits =
    Array.isArray(servers) &&
    servers.length > 0 &&
    servers.every((each) => typeof each?.url === 'string');
  issues.check(fits, 'servers', 'must be an array of at least one { url, description? }');
  if (!fits) return [];
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
    'Unknown fields of a body are ignored, and unknown parameters unless they are near misses. ' +
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

/** The policy of the service, overridden by the options. */
const policyOf = (issues: IssueList, options: OpenApiOptions): InputPolicy => {
  const given = parsePolicy(issues, options);
  const known = options.sessions?.policy;
  const { limits, hasTimeLimit } =
    options.limits === undefined && known !== undefined ? known : given;
  return {
    limits,
    hasTimeLimit,
    faces: given.faces ?? known?.faces,
    profiles: given.profiles ?? known?.profiles,
  };
};

type Served = Pick<Route<never>, 'operation' | 'authenticate'>;

/** The routes to describe: those of the options, and create, list and get. */
const servedBy = (issues: IssueList, groups: OpenApiOptions['routes']): readonly Served[] => {
  const own = sessionOperations.map((operation): Served => ({ operation }));
  const all = [...own, ...parseGroups<Served>(issues, groups)];
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

const compose = (issues: IssueList, options: OpenApiOptions): OpenApiDocument => {
  const policy = policyOf(issues, options);
  const { maxBodyBytes, prefix = '', title = 'Sessions', version = '1.0.0' } = options;
  const fits =
    maxBodyBytes === undefined || (Number.isSafeInteger(maxBodyBytes) && maxBodyBytes >= 1);
  issues.check(fits, 'maxBodyBytes', 'must be a whole number, at least 1');
  issues.check(typeof prefix === 'string', 'prefix', 'must be a string');
  const served = servedBy(issues, options.routes);
  const operations = served.map(({ operation }) => operation);
  const { paths, parameters, responses } = pathsOf(served, policy);
  const schemas = schemasOf(operations, policy);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return {
    openapi: '3.1.1',
    info: {
      title: parseName(issues, 'title', title, MAX_CHARACTERS),
      version: parseName(issues, 'version', version, MAX_CHARACTERS),
      description: describeInterface(maxBodyBytes),
    },
    servers: parseServers(issues, options.servers, prefix),
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: {
      parameters,
      headers: headerComponents,
      schemas,
      responses,
      securitySchemes: { apiKey },
    },
  };
};

const optionNames = {
  routes: true,
  sessions: true,
  limits: defaultLimits,
  faces: true,
  profiles: true,
  maxBodyBytes: true,
  prefix: true,
  servers: true,
  title: true,
  version: true,
} as const;

/**
 * Creates the OpenAPI 3.1 document of the HTTP API: plain JSON, frozen. It is made from the
 * definitions of the operations and the table of errors that the handler uses. Throws a `TypeError`
 * that names every invalid or unknown option.
 */
export const openApiDocument = (options: OpenApiOptions = {}): OpenApiDocument =>
  parseOptions('openApiDocument', options, optionNames, (issues) =>
    deepFreeze(compose(issues, options)),
  );

/** Options of `openApiRoute`. Routes, limits and prefix come from the handler. */
export interface OpenApiRouteOptions extends Pick<OpenApiOptions, 'title' | 'version' | 'servers'> {
  /** Whether the document can be read without an API key. Default: false. */
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
    shape: plain({ type: 'object' }, (value): value is OpenApiDocument => isFields(value)),
  },
};

const routeOptionNames = { public: true, title: true, version: true, servers: true } as const;

/**
 * Serves the OpenAPI document of the handler at `GET /openapi.json`, for `createSessionHandler({
 * routes: [openApiRoute()] })`. It describes all routes of the handler, and the limits and names of
 * its service. Throws a `TypeError` that names every invalid or unknown option.
 */
export const openApiRoute = (options: OpenApiRouteOptions = {}): RouteGroup => {
  const { public: isPublic, ...told } = parseOptions(
    'openApiRoute',
    options,
    routeOptionNames,
    (issues) => ({ ...options, public: parseSwitch(issues, 'public', options.public) }),
  );
  // Throws for invalid options now, not at the first request.
  openApiDocument(told);
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
