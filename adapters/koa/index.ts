import type { IncomingMessage, ServerResponse } from 'node:http';
import { handlerOf } from '../../src/http/handler-of.js';
import type { SessionHandler } from '../../src/http/session-handler.js';
import { inTurn } from '../node/in-turn.js';
import { nodeRequest, parsedBody, pathOf } from '../node/node-request.js';
import { hasLongBodyLeft, respond } from '../node/respond.js';

/** The part of a context of Koa 2 and 3 that the middleware uses. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: object;
  /** Path and query; koa-mount removes the prefix. */
  readonly url: string;
  readonly originalUrl: string;
  status: number;
  body: unknown;
  respond?: boolean | undefined;
  set(name: string, value: string): void;
}

/** Generic, so that an app keeps the type of its contexts. */
export type KoaMiddleware = <C extends KoaContext>(
  context: C,
  next: () => Promise<unknown>,
) => Promise<void>;

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

const prefixOf = (original: string, rest: string): string => {
  const [whole, end] = [withoutQuery(original), withoutQuery(rest)];
  if (!whole.endsWith(end)) return '';
  return whole.slice(0, whole.length - end.length);
};

const turnOf = (req: IncomingMessage, res: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    inTurn(
      req,
      res,
      () => resolve(true),
      () => resolve(false),
    );
  });

/**
 * Middleware for Koa 2 and 3, with or without a body parser before it, at the root or with
 * koa-mount. Requests to other paths go to the next middleware. Throws a `TypeError`
 * if `handler` is not a function.
 *
 *     app.use(mount('/api', koaMiddleware(handler)));
 */
export const koaMiddleware = (handler: SessionHandler): KoaMiddleware => {
  const answer = handlerOf('koaMiddleware', handler);
  return async (context, next) => {
    const { req, res } = context;
    const url = pathOf(context.url);
    const parts = {
      url,
      prefix: prefixOf(pathOf(context.originalUrl), url),
      parsed: parsedBody(context.request),
    };
    if (!(await turnOf(req, res))) {
      context.respond = false;
      return;
    }
    const response = await answer(nodeRequest(req, res, parts));
    if (response === undefined) {
      await next();
      return;
    }
    context.status = response.status;
    // Koa would report every client that closes a stream as an error.
    if (response.stream !== undefined || hasLongBodyLeft(req)) {
      context.respond = false;
      respond(req, res, response);
      return;
    }
    if (response.body !== undefined) context.body = response.body;
    for (const [name, value] of Object.entries(response.headers)) context.set(name, value);
  };
};
