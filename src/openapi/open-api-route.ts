import { ok } from 'neverthrow';
import { commonHeaders } from '../http/handler-error.js';
import type { HandlerContext, RouteGroup } from '../http/route.js';
import { tidyPrefix } from '../http/router-of.js';
import { readOptions } from '../input/read-options.js';
import { isFields } from '../input/values.js';
import type { Operation } from '../operations/operation.js';
import { sessionOperations } from '../operations/session-operations.js';
import { plain } from '../operations/shape.js';
import { type OpenApiOptions, openApiDocument } from './open-api-document.js';
import type { OpenApiDocument } from './types.js';

/** Options of `openApiRoute`. Routes, limits and prefix come from the handler. */
export interface OpenApiRouteOptions extends Pick<OpenApiOptions, 'title' | 'version' | 'servers'> {
  /** Whether the document can be read without an API key. Default: false. */
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
 * Serves the OpenAPI document of the handler at `GET /openapi.json`, for `createSessionHandler({ routes:
 * [openApiRoute()] })`. It describes all routes of the handler, and the limits and names of its service. Throws a
 * `TypeError` that names every invalid or unknown option.
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
  // Throws for invalid options now, not at the first request.
  bodyFor({ routes: [], policy: undefined, maxBodyBytes: 1 }, '');
  /**
   * The document of the last prefix; most hosts have only one. A public document must cost next to nothing per request.
   */
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
