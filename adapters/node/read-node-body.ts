import type { IncomingMessage } from 'node:http';
import type { BodyReading } from '../../src/http/session-handler.js';
import { GrowingBytes } from '../../src/session/read-stream.js';

const tooLarge: BodyReading = { outcome: 'too_large' };
const aborted: BodyReading = { outcome: 'aborted' };
const lost: BodyReading = { outcome: 'lost' };

const readRequest = (req: IncomingMessage, maxBytes: number): Promise<BodyReading> =>
  new Promise((resolve) => {
    const body = new GrowingBytes(maxBytes);
    const finish = (reading: BodyReading) => {
      req.off('data', onData).off('end', onEnd).off('error', onLoss).off('close', onLoss);
      resolve(reading);
    };
    // A chunk is a string if other code has set an encoding on the request.
    const onData = (chunk: Buffer | string) => {
      if (body.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return;
      req.pause();
      finish(tooLarge);
    };
    const onEnd = () => finish({ outcome: 'read', bytes: body.bytes });
    const onLoss = () => finish(aborted);
    req.on('data', onData).on('end', onEnd).on('error', onLoss).on('close', onLoss);
  });

/**
 * Reads the body of a Node request. A body parser that ran before has consumed the stream, and its
 * result is in `parsed`. If it skipped the request, `parsed` may be an empty object, and the stream
 * is unread.
 */
export const readNodeBody = (
  req: IncomingMessage,
  parsed: unknown,
  maxBytes: number,
): Promise<BodyReading> => {
  const isRead = req.readableDidRead || req.readableEnded;
  if (isRead && parsed !== undefined) return Promise.resolve({ outcome: 'parsed', value: parsed });
  if (req.readableDidRead) return Promise.resolve(lost);
  if (req.readableEnded) return Promise.resolve({ outcome: 'read', bytes: new Uint8Array() });
  if (req.destroyed) return Promise.resolve(aborted);
  return readRequest(req, maxBytes);
};
