import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HandlerRequest } from '../../src/http/session-handler.js';
import { readNodeBody } from './read-node-body.js';

export interface NodeRequestParts {
  readonly url: string;
  readonly prefix: string;
  readonly parsed: unknown;
}

export const nodeRequest = (
  req: IncomingMessage,
  res: ServerResponse,
  { url, prefix, parsed }: NodeRequestParts,
): HandlerRequest => ({
  method: req.method ?? '',
  url,
  prefix,
  header: (name) => {
    const value = req.headers[name];
    if (typeof value === 'object') return value.join(', ');
    return value;
  },
  body: (maxBytes) => readNodeBody(req, parsed, maxBytes),
  onClose: (listener) => {
    if (res.closed) listener();
    else res.once('close', listener);
  },
});

/** The result of a body parser: `body`, by the convention of Connect. */
export const parsedBody = (request: object): unknown =>
  'body' in request ? request.body : undefined;

/**
 * A scheme and authority that all parsers read the same way. Where parsers differ, as in
 * `http://x;/sessions`, a guard of the host could see a different path than the handler.
 */
const origin = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?=[/?#]|$)/i;

/**
 * Path and query of a request target, also of the absolute form that proxies send (RFC 9112,
 * 3.2.2).
 */
export const pathOf = (target: string): string => {
  if (target.startsWith('/')) return target;
  const before = origin.exec(target)?.[0];
  if (before === undefined) return target;
  const rest = target.slice(before.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
};
