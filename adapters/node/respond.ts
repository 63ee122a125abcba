import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { HandlerResponse } from '../../src/http/message.js';

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
 * Answers while the client is still sending, and closes the connection. At once would be too soon: a client whose
 * sending fails may never look at the answer. So it gets the whole answer, is listened to for a little while, and is
 * then left waiting until it hangs up or the time is over.
 */
const answerAndHangUp = (req: IncomingMessage, res: ServerResponse, response: HandlerResponse): void => {
  let seen = 0;
  const onData = (chunk: Buffer | string) => {
    seen += chunk.length;
    if (seen > LINGER_BYTES) req.pause();
  };
  const hangUp = () => {
    clearTimeout(timer);
    req.off('data', onData).off('end', hangUp).off('close', hangUp);
    res.end();
  };
  const timer = setTimeout(hangUp, LINGER_MS);
  res.writeHead(response.status, [...headersOf(response), 'Connection', 'close']);
  if (response.body !== undefined) res.write(response.body);
  req.on('data', onData).on('end', hangUp).on('close', hangUp).resume();
};

/**
 * Sends an answer that comes bit by bit, no faster than the client takes it. When the client goes away, so does what
 * makes it. A body that nobody wants waits meanwhile, and ends the connection.
 */
const sendStream = (
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, stream, cutOff }: Extract<HandlerResponse, { readonly stream: unknown }>,
): void => {
  res.writeHead(status, hasLongBodyLeft(req) ? { ...headers, Connection: 'close' } : headers);
  cutOff?.addEventListener('abort', () => res.destroy(), { once: true });
  pipeline(Readable.from(stream), res, () => undefined);
};

/** Sends an answer, unless the client is gone or somebody else has answered. */
export const respond = (req: IncomingMessage, res: ServerResponse, response: HandlerResponse): void => {
  if (res.headersSent || res.destroyed || res.writableEnded) return;
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
