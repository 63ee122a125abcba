import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { HandlerResponse } from '../../src/http/message.js';
import { stopReading } from './stop-reading.js';
import { isGone } from './turn.js';

/** So much of a body that nobody wants is taken in for the client's sake, and for so long. */
const LINGER_BYTES = 64 * 1024;
const LINGER_MS = 500;

/** Whether more of the body is under way than Node should read and throw away to keep the connection. */
export const hasLongBodyLeft = (req: IncomingMessage): boolean =>
  !req.complete && !(Number(req.headers['content-length']) <= LINGER_BYTES);

/** The answer's headers with the length of its body, one after another: Node takes them so in less time. */
const headersOf = ({ headers, body }: HandlerResponse): string[] => {
  const list: string[] = [];
  for (const name in headers) list.push(name, String(headers[name]));
  const counted = headers['Content-Length'] !== undefined || body === undefined;
  if (!counted) list.push('Content-Length', String(Buffer.byteLength(body)));
  return list;
};

/**
 * The connection that a response has for itself. HTTP/2 has one for many responses, and what only imitates Node, as
 * tests and serverless platforms do, has none.
 */
const connectionOf = (req: IncomingMessage, res: ServerResponse): Socket | undefined =>
  req.httpVersionMajor === 1 && res.socket === req.socket ? (req.socket ?? undefined) : undefined;

/**
 * Throws away the start of a body that nobody wants, and then reads nothing more from the connection. If the request
 * were paused, Node would keep 64 KiB of it, which in chunks of one byte are 10 MB.
 */
const discardStart = (req: IncomingMessage, connection: Socket | undefined): void => {
  let left = LINGER_BYTES;
  const onData = (chunk: Buffer | string) => {
    left -= chunk.length;
    if (left > 0) return;
    req.off('data', onData);
    if (connection === undefined) req.pause();
    else stopReading(connection);
  };
  req.on('data', onData).resume();
};

/**
 * Answers while the client is still sending, and closes the connection. At once would be too soon: a client whose
 * sending fails may never look at the answer. So it gets the whole answer, is listened to for a little while, and is
 * then left waiting until it hangs up or the time is over.
 *
 * The connection is closed, and the response is not ended: Node would take the next request for the first in line,
 * although others came before it, and ends the process when it notices (`ERR_INTERNAL_ASSERTION`).
 */
const answerAndHangUp = (req: IncomingMessage, res: ServerResponse, response: HandlerResponse): void => {
  const connection = connectionOf(req, res);
  const hangUp = () => {
    clearTimeout(timer);
    req.off('end', hangUp).off('close', hangUp);
    if (connection === undefined) res.end();
    else connection.destroySoon();
  };
  const timer = setTimeout(hangUp, LINGER_MS);
  res.writeHead(response.status, [...headersOf(response), 'Connection', 'close']);
  if (response.body === undefined) res.flushHeaders();
  else res.write(response.body);
  req.on('end', hangUp).on('close', hangUp);
  discardStart(req, connection);
};

/**
 * Sends an answer that comes bit by bit, no faster than the client takes it. When the client goes away, so does what
 * makes it. A long body that nobody wants ends the connection behind the answer.
 */
const sendStream = (
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, stream, cutOff }: Extract<HandlerResponse, { readonly stream: unknown }>,
): void => {
  const connection = connectionOf(req, res);
  const closes = hasLongBodyLeft(req);
  res.writeHead(status, headers);
  cutOff?.addEventListener('abort', () => res.destroy());
  pipeline(Readable.from(stream), res, () => {
    if (closes) connection?.destroySoon();
  });
  if (closes) discardStart(req, connection);
};

/** Whether an answer would come too late: the client is gone, or somebody else has answered. */
const isOver = (req: IncomingMessage, res: ServerResponse): boolean =>
  // Node learns late that a connection is gone, and until then takes an answer on it for sent.
  isGone(req) || res.destroyed || res.headersSent || res.writableEnded;

/** Sends an answer, unless it would come too late. */
export const respond = (req: IncomingMessage, res: ServerResponse, response: HandlerResponse): void => {
  if (isOver(req, res)) return;
  if (response.stream !== undefined) {
    sendStream(req, res, response);
    return;
  }
  if (hasLongBodyLeft(req)) {
    answerAndHangUp(req, res, response);
    return;
  }
  res.writeHead(response.status, headersOf(response)).end(response.body);
};
