import type { BodyReading, HandlerRequest, HandlerResponse, SessionHandler } from '../../src/http/message.js';
import { tidyPrefix, withoutPrefix } from '../../src/http/prefix.js';
import { routeNotFound } from '../../src/http/problem.js';
import { readFetchBody } from './body.js';
import { streamOf } from './stream.js';

export interface FetchHandlerOptions {
  /** Where the operations are, such as `/api`. Default: at the root. */
  readonly prefix?: string;
}

class FetchRequest implements HandlerRequest {
  readonly url: string;
  readonly prefix: string;
  readonly #request: Request;

  constructor(request: Request, url: string, prefix: string) {
    this.url = url;
    this.prefix = prefix;
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  body(maxBytes: number): Promise<BodyReading> {
    return readFetchBody(this.#request, maxBytes);
  }
}

/** Path and query of an absolute URL, as they stand in it. */
const pathOf = (url: string): string => {
  const path = url.indexOf('/', url.indexOf('://') + 3);
  const fragment = url.indexOf('#', path);
  return url.slice(path, fragment < 0 ? undefined : fragment);
};

const toResponse = ({ status, headers, body, stream, cutOff }: HandlerResponse): Response => {
  if (stream !== undefined) return new Response(streamOf(stream, cutOff), { status, headers });
  if (body === undefined) return new Response(null, { status, headers });
  const bytes = new TextEncoder().encode(body);
  return new Response(bytes, { status, headers: { ...headers, 'Content-Length': String(bytes.length) } });
};

/**
 * Serves a session handler wherever a function from `Request` to `Response` is wanted: Hono, Deno, Bun, the route
 * handlers of frameworks. What is none of the operations is answered with 404.
 *
 *     const serve = fetchHandler(handler, { prefix: '/api' });
 *     app.all('/api/*', (context) => serve(context.req.raw));
 */
export const fetchHandler = (
  handler: SessionHandler,
  options: FetchHandlerOptions = {},
): ((request: Request) => Promise<Response>) => {
  const prefix = tidyPrefix(options.prefix ?? '');
  return async (request) => {
    const url = withoutPrefix(pathOf(request.url), prefix);
    const response = url === undefined ? undefined : await handler(new FetchRequest(request, url, prefix));
    return toResponse(response ?? routeNotFound);
  };
};
