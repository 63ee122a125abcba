import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyReading, HandlerRequest } from '../../src/http/message.js';
import { readNodeBody } from './body.js';

/** Where a mount has found what it shows to the handler. */
export interface NodeRequestParts {
  /** Path and query, without the prefix. */
  readonly url: string;
  readonly prefix: string;
  /** What a body parser has left behind. */
  readonly parsed: unknown;
}

/** A Node request as the handler reads it; a class, since it is made for every request. */
export class NodeRequest implements HandlerRequest {
  readonly url: string;
  readonly prefix: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parsed: unknown;

  constructor(req: IncomingMessage, res: ServerResponse, { url, prefix, parsed }: NodeRequestParts) {
    this.url = url;
    this.prefix = prefix;
    this.#req = req;
    this.#res = res;
    this.#parsed = parsed;
  }

  get method(): string {
    return this.#req.method ?? '';
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  body(maxBytes: number): Promise<BodyReading> {
    return readNodeBody(this.#req, this.#parsed, maxBytes);
  }

  onClose(listener: () => void): void {
    if (this.#res.closed) listener();
    else this.#res.once('close', listener);
  }
}

/** What a body parser has left on a request, by the convention of Connect and all that came after it. */
export const parsedBody = (request: object): unknown => ('body' in request ? request.body : undefined);

/**
 * Scheme and authority as every parser reads them. Where parsers differ, as over `http://x;/sessions`, a host's guard
 * could see another path than the handler does.
 */
const origin = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?=[/?#]|$)/i;

/** Path and query of a request target, which proxies may send with scheme and host before it (RFC 9112, 3.2.2). */
export const pathOf = (target: string): string => {
  if (target.startsWith('/')) return target;
  const before = origin.exec(target)?.[0];
  if (before === undefined) return target;
  const rest = target.slice(before.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
};
