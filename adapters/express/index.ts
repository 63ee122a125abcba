import type { IncomingMessage, ServerResponse } from 'node:http';
import { handlerOf } from '../../src/http/handler-of.js';
import type { SessionHandler } from '../../src/http/session-handler.js';
import { answerInTurn } from '../node/answer-in-turn.js';
import { parsedBody, pathOf } from '../node/node-request.js';

/** The part of a request of Express 4 and 5 that the middleware uses. */
export interface ExpressRequest extends IncomingMessage {
  /** The path of the mount. */
  readonly baseUrl?: string | undefined;
}

/** A middleware of Express. */
export type ExpressMiddleware = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Middleware for Express 4 and 5, with or without a body parser before it. Requests to other paths
 * go to the next middleware. Throws a `TypeError` if `handler` is not a function.
 *
 *     app.use('/api', expressMiddleware(handler));
 */
export const expressMiddleware = (handler: SessionHandler): ExpressMiddleware => {
  const answer = handlerOf('expressMiddleware', handler);
  return (req, res, next) => {
    const parts = {
      url: pathOf(req.url ?? ''),
      prefix: req.baseUrl ?? '',
      parsed: parsedBody(req),
    };
    answerInTurn(answer, req, res, parts, next);
  };
};
