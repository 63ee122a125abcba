import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionHandler } from '../../src/http/message.js';
import { NodeRequest, parsedBody, pathOf } from '../node/request.js';
import { respond } from '../node/respond.js';
import { inTurn } from '../node/turn.js';

/** What the middleware needs of an Express request: 4's and 5's have it. */
export interface ExpressRequest extends IncomingMessage {
  /** The path that the middleware is mounted under. */
  readonly baseUrl?: string;
}

export type ExpressMiddleware = (req: ExpressRequest, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Serves a session handler from Express 4 or 5, with or without a body parser before it. What is none of the
 * operations goes on to the next middleware.
 *
 *     app.use('/api', expressMiddleware(handler));
 */
export const expressMiddleware =
  (handler: SessionHandler): ExpressMiddleware =>
  (req, res, next) => {
    const parts = { url: pathOf(req.url ?? ''), prefix: req.baseUrl ?? '', parsed: parsedBody(req) };
    inTurn(req, res, () => {
      void handler(new NodeRequest(req, res, parts)).then((response) => {
        if (response === undefined) next();
        else respond(req, res, response);
      });
    });
  };
