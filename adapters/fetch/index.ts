import type { HandlerResponse, SessionHandler } from '../../src/http/message.js';
import { tidyPrefix, withoutPrefix } from '../../src/http/prefix.js';
import { routeNotFound } from '../../src/http/problem.js';
import { readOptions } from '../../src/input/read-options.js';
import type { Closing } from './closing.js';
import { FetchRequest, pathOf } from './request.js';
import { inParts, streamOf, tellsOfUnread } from './stream.js';

export interface FetchHandlerOptions {
  /** Where the operations are in the URLs that this function gets, such as `/api`. Default: at the root. */
  readonly prefix?: string;
  /**
   * What the host or a proxy has taken off the URLs before, such as `/api` with Hono's `app.mount('/api', ...)`:
   * `Location` and `Link` put it back. Default: nothing.
   */
  readonly basePath?: string;
}

/** A body that is handed over at once, whether or not somebody wants to know when it has been taken. */
const SMALL_BYTES = 64 * 1024;

const encoder = new TextEncoder();

const toResponse = ({ status, headers, body, stream, cutOff }: HandlerResponse, closing: Closing): Response => {
  const { close } = closing;
  if (stream !== undefined) {
    if (!tellsOfUnread) close();
    return new Response(streamOf(stream, close, cutOff), { status, headers });
  }
  if (body === undefined) {
    close();
    return new Response(null, { status, headers });
  }
  const bytes = encoder.encode(body);
  const init = { status, headers: { ...headers, 'Content-Length': String(bytes.length) } };
  if (closing.isWatched && tellsOfUnread && bytes.length > SMALL_BYTES) {
    return new Response(streamOf(inParts(bytes, SMALL_BYTES), close), init);
  }
  close();
  return new Response(bytes, init);
};

/**
 * Serves a session handler wherever a function from `Request` to `Response` is wanted: Hono, Deno, Bun, the route
 * handlers of frameworks. What is none of the operations is answered with 404. Throws a `TypeError` that names every
 * option that is wrong or unknown.
 *
 *     const serve = fetchHandler(handler, { prefix: '/api' });
 *     app.all('/api/*', (context) => serve(context.req.raw));
 */
export const fetchHandler = (
  handler: SessionHandler,
  options: FetchHandlerOptions = {},
): ((request: Request) => Promise<Response>) => {
  const { prefix, shownPrefix } = readOptions('fetchHandler', options, { prefix: true, basePath: true }, (issues) => {
    const { prefix: given = '', basePath = '' } = options;
    issues.check(typeof given === 'string', 'prefix', 'must be a string');
    issues.check(typeof basePath === 'string', 'basePath', 'must be a string');
    return { prefix: tidyPrefix(given), shownPrefix: tidyPrefix(basePath) + tidyPrefix(given) };
  });
  return async (request) => {
    const url = withoutPrefix(pathOf(request.url), prefix);
    const shown = new FetchRequest(request, { url: url ?? '', prefix: shownPrefix });
    const response = url === undefined ? undefined : await handler(shown);
    return toResponse(response ?? routeNotFound, shown.closing);
  };
};
