import type { IncomingMessage, ServerResponse } from 'node:http';
import { routeNotFound } from '../../src/http/problem.js';
import { tidyPrefix, withoutPrefix } from '../../src/http/router-of.js';
import type { SessionHandler } from '../../src/http/session-handler.js';
import { parseOptions } from '../../src/input/parse-options.js';
import type { Complete } from '../../src/session/optional.js';
import { inTurn } from './in-turn.js';
import { nodeRequest, parsedBody, pathOf } from './node-request.js';
import { respond } from './respond.js';

/** A listener for `createServer` of node:http and node:https. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => void;

/** Options of `nodeListener`. */
export interface NodeListenerOptions {
  /** Prefix of the routes, such as `/api`. Default: none. */
  readonly prefix?: string | undefined;
  /** Answers requests to other paths. Default: 404. */
  readonly fallback?: NodeListener | undefined;
}

const answerNotFound: NodeListener = (req, res) => respond(req, res, routeNotFound);

const parseListenerOptions = (options: NodeListenerOptions): Complete<NodeListenerOptions> =>
  parseOptions('nodeListener', options, { prefix: true, fallback: true }, (issues) => {
    const { prefix = '', fallback = answerNotFound } = options;
    issues.check(typeof prefix === 'string', 'prefix', 'must be a string');
    issues.check(typeof fallback === 'function', 'fallback', 'must be a function');
    return { prefix: tidyPrefix(prefix), fallback };
  });

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
  const { prefix, fallback } = parseListenerOptions(options);
  return (req, res) => {
    const url = withoutPrefix(pathOf(req.url ?? ''), prefix);
    if (url === undefined) {
      fallback(req, res);
      return;
    }
    inTurn(req, res, () => {
      void handler(nodeRequest(req, res, { url, prefix, parsed: parsedBody(req) })).then(
        (response) => {
          if (response === undefined) fallback(req, res);
          else respond(req, res, response);
        },
      );
    });
  };
};
