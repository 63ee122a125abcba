import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionHandler } from '../../src/http/session-handler.js';
import { inTurn } from './in-turn.js';
import { type NodeRequestParts, nodeRequest } from './node-request.js';
import { respond } from './respond.js';

export const answerInTurn = (
  handler: SessionHandler,
  req: IncomingMessage,
  res: ServerResponse,
  parts: NodeRequestParts,
  next: () => void,
): void =>
  inTurn(req, res, () => {
    void handler(nodeRequest(req, res, parts)).then((response) => {
      if (response === undefined) next();
      else respond(req, res, response);
    });
  });
