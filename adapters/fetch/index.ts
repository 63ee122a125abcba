import { handlerOf } from '../../src/http/handler-of.js';
import { routeNotFound } from '../../src/http/problem.js';
import { tidyPrefix, withoutPrefix } from '../../src/http/router-of.js';
import type { HandlerResponse, SessionHandler } from '../../src/http/session-handler.js';
import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema } from '../../src/schema/schema.js';
import { anyText } from '../../src/schema/values.js';
import { CloseListeners } from './close-listeners.js';
import { fetchRequest, pathOf } from './fetch-request.js';
import { chunksOf, detectsUnread, streamOf } from './stream-of.js';

/** Options of `fetchHandler`. */
export interface FetchHandlerOptions {
  /** Prefix of the routes in the request URLs, for example `/api`. Default: none. */
  readonly prefix?: string | undefined;
  /**
   * Prefix that the host or a proxy has removed from the URLs, for example `/api` with Hono's
   * `app.mount('/api', ...)`. `Location` and `Link` contain it. Default: none.
   */
  readonly basePath?: string | undefined;
}

/**
 * Maximum bytes of a body that is sent in one part when a listener waits for the end of the
 * response.
 */
const SMALL_BYTES = 64 * 1024;

const encoder = new TextEncoder();

const toResponse = (
  { status, headers, body, stream, cutOff }: HandlerResponse,
  closing: CloseListeners,
): Response => {
  const { close } = closing;
  if (stream !== undefined) {
    if (!detectsUnread) close();
    return new Response(streamOf(stream, close, cutOff), { status, headers });
  }
  if (body === undefined) {
    close();
    return new Response(null, { status, headers });
  }
  const bytes = encoder.encode(body);
  const init = { status, headers: { ...headers, 'Content-Length': String(bytes.length) } };
  if (closing.isWatched && detectsUnread && bytes.length > SMALL_BYTES) {
    return new Response(streamOf(chunksOf(bytes, SMALL_BYTES), close), init);
  }
  close();
  return new Response(bytes, init);
};

const read = optionsOf('fetchHandler', {
  prefix: optional(anyText, ''),
  basePath: optional(anyText, ''),
} satisfies Readonly<Record<keyof FetchHandlerOptions, Schema<unknown>>>);

/**
 * A function from `Request` to `Response` for Hono, Deno, Bun and the route handlers of frameworks.
 * Requests to other paths are answered with 404. Throws a `TypeError` that names every invalid or
 * unknown option.
 *
 *     const serve = fetchHandler(handler, { prefix: '/api' });
 *     app.all('/api/*', (context) => serve(context.req.raw));
 */
export const fetchHandler = (
  handler: SessionHandler,
  options: FetchHandlerOptions = {},
): ((request: Request) => Promise<Response>) => {
  const answer = handlerOf('fetchHandler', handler);
  const given = read(options);
  const prefix = tidyPrefix(given.prefix);
  const shownPrefix = tidyPrefix(given.basePath) + prefix;
  return async (request) => {
    const url = withoutPrefix(pathOf(request.url), prefix);
    const closing = new CloseListeners();
    const parts = { url: url ?? '', prefix: shownPrefix, closing };
    const response = url === undefined ? undefined : await answer(fetchRequest(request, parts));
    return toResponse(response ?? routeNotFound, closing);
  };
};
