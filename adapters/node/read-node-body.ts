import type { IncomingMessage } from 'node:http';
import type { BodyReading } from '../../src/http/session-handler.js';

const tooLarge: BodyReading = { outcome: 'too_large' };
const aborted: BodyReading = { outcome: 'aborted' };
const lost: BodyReading = { outcome: 'lost' };

/** A larger copy: at least `size`, and at least double, so that copies are rare. */
const grown = (bytes: Buffer, size: number, maxBytes: number): Buffer => {
  const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 2 * bytes.length), maxBytes));
  bytes.copy(larger);
  return larger;
};

const readStream = (req: IncomingMessage, maxBytes: number): Promise<BodyReading> =>
  new Promise((resolve) => {
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    const finish = (reading: BodyReading) => {
      req.off('data', onData).off('end', onEnd).off('error', onLoss).off('close', onLoss);
      resolve(reading);
    };
    // A chunk is a string if other code has set an encoding on the request.
    const onData = (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const end = size + bytes.length;
      if (end > maxBytes) {
        req.pause();
        finish(tooLarge);
        return;
      }
      // Copied, because a chunk of one byte may be a view of a large buffer.
      if (end > body.length) body = grown(body, end, maxBytes);
      bytes.copy(body, size);
      size = end;
    };
    const onEnd = () => finish({ outcome: 'read', bytes: body.subarray(0, size) });
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
  return readStream(req, maxBytes);
};
