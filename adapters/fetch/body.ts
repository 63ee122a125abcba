import type { BodyReading } from '../../src/http/message.js';

const joined = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  const bytes = new Uint8Array(size);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
};

/** The body of a Fetch request, read chunk by chunk; the rest of one that is too large is cancelled. */
export const readFetchBody = async (request: Request, maxBytes: number): Promise<BodyReading> => {
  if (request.body === null) return { outcome: 'read', bytes: new Uint8Array() };
  if (request.bodyUsed || request.body.locked) return { outcome: 'lost' };
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk: Uint8Array = next.value;
      size += chunk.length;
      if (size > maxBytes) {
        // Not awaited: a source may take its time to stop, or fail at it, and the answer need not wait for that.
        reader.cancel().catch(() => undefined);
        return { outcome: 'too_large' };
      }
      chunks.push(chunk);
    }
    return { outcome: 'read', bytes: joined(chunks, size) };
  } catch {
    return { outcome: 'aborted' };
  }
};
