import type { IncomingMessage } from 'node:http';
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
  readonly #parsed: unknown;

  constructor(req: IncomingMessage, { url, prefix, parsed }: NodeRequestParts) {
    this.url = url;
    this.prefix = prefix;
    this.#req = req;
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
}

/** What a body parser has left on a request, by the convention of Connect and all that came after it. */
export const parsedBody = (request: object): unknown => ('body' in request ? request.body : undefined);

/** Path and query of a request target, which proxies may send with scheme and host before it (RFC 9112, 3.2.2). */
export const pathOf = (target: string): string => {
  if (target.startsWith('/')) return target;
  const authority = target.indexOf('://');
  const path = authority < 0 ? -1 : target.indexOf('/', authority + 3);
  return path < 0 ? target : target.slice(path);
};
