import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { HandlerResponse } from '../../src/http/session-handler.js';
import { isGone } from './in-turn.js';
import { stopReading } from './stop-reading.js';

/**
 * Maximum bytes of an unwanted body that are read, and milliseconds to wait, before the connection
 * is closed.
 */
const LINGER_BYTES = 64 * 1024;
const LINGER_MS = 500;

/** The stream of an HTTP/2 request; undefined for others. */
const http2StreamOf = (req: IncomingMessage): Http2ServerRequest['stream'] | undefined => {
  const isHttp2 = (request: object): request is Pick<Http2ServerRequest, 'stream'> =>
    req.httpVersionMajor === 2 && 'stream' in request;
  return isHttp2(req) ? req.stream : undefined;
};

/**
 * Whether too much of the body is left to discard it and keep the connection. Node calls an HTTP/2
 * request complete only when its body was read, even if it has none.
 */
export const hasLongBodyLeft = (req: IncomingMessage): boolean => {
  if (req.complete || http2StreamOf(req)?.endAfterHeaders === true) return false;
  return !(Number(req.headers['content-length']) <= LINGER_BYTES);
};

/** Headers with `Content-Length` as a flat list, which Node handles faster than an object. */
const headersOf = ({ headers, body }: HandlerResponse): string[] => {
  const list: string[] = [];
  for (const name in headers) list.push(name, String(headers[name]));
  const counted = headers['Content-Length'] !== undefined || body === undefined;
  if (!counted) list.push('Content-Length', String(Buffer.byteLength(body)));
  return list;
};

/**
 * The connection, if the response has it to itself. HTTP/2 shares one between responses, and
 * imitations of Node in tests and serverless platforms have none.
 */
const connectionOf = (req: IncomingMessage, res: ServerResponse): Socket | undefined => {
  if (req.httpVersionMajor !== 1 || res.socket !== req.socket) return undefined;
  return req.socket ?? undefined;
};

/**
 * Discards the start of an unwanted body, then stops reading from the connection. Pausing the
 * request is not enough: Node would buffer 64 KiB of it, which needs 10 MB of memory in chunks of
 * one byte.
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
 * Answers while the client is still sending, and closes the connection. Closing immediately would
 * be too soon: a client whose sending fails may never read the answer. So the complete answer is
 * sent, and the connection is closed when the client hangs up or after `LINGER_MS`.
 *
 * The connection is closed without ending the response: after `end`, Node treats the next pipelined
 * request as the first in line, and ends the process with `ERR_INTERNAL_ASSERTION`.
 */
const answerAndHangUp = (
  req: IncomingMessage,
  res: ServerResponse,
  response: HandlerResponse,
): void => {
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
 * Streams an answer at the speed of the client, and ends its source when the client disconnects.
 * Closes the connection after the answer if too much of the request's body is left.
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

const isOver = (req: IncomingMessage, res: ServerResponse): boolean =>
  // Node may detect a lost connection late, and counts an answer as sent until then.
  isGone(req) || res.destroyed || res.headersSent || res.writableEnded;

export const respond = (
  req: IncomingMessage,
  res: ServerResponse,
  response: HandlerResponse,
): void => {
  if (isOver(req, res)) return;
  if (response.stream !== undefined) {
    sendStream(req, res, response);
    return;
  }
  const stream = http2StreamOf(req);
  if (hasLongBodyLeft(req) && stream === undefined) {
    answerAndHangUp(req, res, response);
    return;
  }
  const stop = hasLongBodyLeft(req) ? () => stream?.close() : undefined;
  res.writeHead(response.status, headersOf(response)).end(response.body, stop);
};
