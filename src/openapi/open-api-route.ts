import { ok } from 'neverthrow';
import { commonHeaders } from '../http/problem.js';
import type { HandlerContext, RouteGroup } from '../http/route.js';
import { tidyPrefix } from '../http/without-prefix.js';
import { readOptions } from '../input/read-options.js';
import { isFields } from '../input/values.js';
import type { Operation } from '../operations/operation.js';
import { sessionOperations } from '../operations/session-operations.js';
import { plain } from '../operations/shape.js';
import { type OpenApiOptions, openApiDocument } from './open-api-document.js';
import type { OpenApiDocument } from './types.js';

/** How a handler describes itself. What it serves, its limits and its prefix it knows. */
export interface OpenApiRouteOptions extends Pick<OpenApiOptions, 'title' | 'version' | 'servers'> {
  /** Whether everybody may see the document, or only those who have an API key. Default: false. */
  readonly public?: boolean;
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

const optionNames = { public: true, title: true, version: true, servers: true } as const;

/**
 * An OpenAPI document of the handler at `GET /openapi.json`, for `createSessionHandler({ routes: [openApiRoute()] })`: of
 * all its routes, with the limits and names of its service. Throws a `TypeError` that names every option that is wrong or
 * unknown.
 */
export const openApiRoute = (options: OpenApiRouteOptions = {}): RouteGroup => {
  const { public: isPublic = false, ...told } = readOptions('openApiRoute', options, optionNames, (issues) => {
    issues.check(['undefined', 'boolean'].includes(typeof options.public), 'public', 'must be true or false');
    return options;
  });
  const bodyFor = (
    { routes, policy, maxBodyBytes }: Pick<HandlerContext, 'routes' | 'maxBodyBytes' | 'policy'>,
    prefix: string,
  ) => {
    const own = routes.filter(({ operation }) => !sessionOperations.some(({ name }) => name === operation.name));
    const sessions = policy === undefined ? {} : { policy };
    return JSON.stringify(openApiDocument({ ...told, routes: [own], sessions, maxBodyBytes, prefix }));
  };
  // Wrong options throw here, and not when the document is first asked for.
  bodyFor({ routes: [], policy: undefined, maxBodyBytes: 1 }, '');
  /** For the prefix that was asked for last, of which most hosts have one: a stranger's request should cost next to nothing. */
  let last: { readonly handler: HandlerContext; readonly prefix: string; readonly body: string } | undefined;
  return [
    {
      operation: describe,
      ...(isPublic ? { authenticate: 'everybody' } : {}),
      answer: async ({ handler, request }) => {
        const prefix = tidyPrefix(request.prefix);
        if (last?.handler !== handler || last.prefix !== prefix)
          last = { handler, prefix, body: bodyFor(handler, prefix) };
        return ok({ status: 200, headers: commonHeaders, body: last.body });
      },
    },
  ];
};
