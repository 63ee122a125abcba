import type { IncomingMessage } from 'node:http';
import type { BodyReading } from '../../src/http/message.js';

const tooLarge: BodyReading = { outcome: 'too_large' };
const aborted: BodyReading = { outcome: 'aborted' };
const lost: BodyReading = { outcome: 'lost' };

const readStream = (req: IncomingMessage, maxBytes: number): Promise<BodyReading> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (reading: BodyReading) => {
      req.off('data', onData).off('end', onEnd).off('error', onLoss).off('close', onLoss);
      resolve(reading);
    };
    // A chunk is a string where something has set an encoding on the request.
    const onData = (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size <= maxBytes) {
        chunks.push(bytes);
        return;
      }
      req.pause();
      finish(tooLarge);
    };
    const onEnd = () => finish({ outcome: 'read', bytes: Buffer.concat(chunks, size) });
    const onLoss = () => finish(aborted);
    req.on('data', onData).on('end', onEnd).on('error', onLoss).on('close', onLoss);
  });

/**
 * The body of a Node request. A parser that came first has used up the stream and left its result in `parsed`; one
 * that passed the request by may have left an empty object there, and the stream as it was.
 */
export const readNodeBody = (req: IncomingMessage, parsed: unknown, maxBytes: number): Promise<BodyReading> => {
  const isRead = req.readableDidRead || req.readableEnded;
  if (isRead && parsed !== undefined) return Promise.resolve({ outcome: 'parsed', value: parsed });
  if (req.readableDidRead) return Promise.resolve(lost);
  if (req.readableEnded) return Promise.resolve({ outcome: 'read', bytes: new Uint8Array() });
  return req.destroyed ? Promise.resolve(aborted) : readStream(req, maxBytes);
};
