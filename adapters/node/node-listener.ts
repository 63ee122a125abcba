import type { IncomingMessage, ServerResponse } from 'node:http';
import { handlerOf } from '../../src/http/handler-of.js';
import { routeNotFound } from '../../src/http/problem.js';
import { tidyPrefix, withoutPrefix } from '../../src/http/router-of.js';
import type { SessionHandler } from '../../src/http/session-handler.js';
import { functionOf } from '../../src/schema/host-values.js';
import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema } from '../../src/schema/schema.js';
import { anyText } from '../../src/schema/values.js';
import { answerInTurn } from './answer-in-turn.js';
import { parsedBody, pathOf } from './node-request.js';
import { respond } from './respond.js';

/** A listener for `createServer` of node:http and node:https. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => void;

/** Options of `nodeListener`. */
export interface NodeListenerOptions {
  /** Prefix of the routes, for example `/api`. Default: none. */
  readonly prefix?: string | undefined;
  /** Answers requests for other paths. Default: 404. */
  readonly fallback?: NodeListener | undefined;
}

const answerNotFound: NodeListener = (req, res) => respond(req, res, routeNotFound);

const read = optionsOf('nodeListener', {
  prefix: optional(anyText, ''),
  fallback: optional(functionOf('must be a function')),
} satisfies Readonly<Record<keyof NodeListenerOptions, Schema<unknown>>>);

/**
 * A request listener for node:http. Throws a `TypeError` that names every invalid or unknown
 * option.
 *
 *     createServer(nodeListener(handler)).listen(3000);
 *
 * In Fastify, use it in a hook before the body is parsed:
 *
 *     app.register((scope, _options, done) => {
 *       scope.addHook('onRequest', (request, reply) => {
 *         reply.hijack();
 *         listener(request.raw, reply.raw);
 *       });
 *       scope.all('/*', () => undefined);
 *       done();
 *     }, { prefix: '/api' });
 *
 * or in place of Fastify's own listener:
 *
 *     fastify({ serverFactory: (app) => createServer(nodeListener(handler, { prefix: '/api', fallback: app })) });
 */
export const nodeListener = (
  handler: SessionHandler,
  options: NodeListenerOptions = {},
): NodeListener => {
  const answer = handlerOf('nodeListener', handler);
  const prefix = tidyPrefix(read(options).prefix);
  const { fallback = answerNotFound } = options;
  return (req, res) => {
    const url = withoutPrefix(pathOf(req.url ?? ''), prefix);
    const next = () => fallback(req, res);
    if (url === undefined) next();
    else answerInTurn(answer, req, res, { url, prefix, parsed: parsedBody(req) }, next);
  };
};
