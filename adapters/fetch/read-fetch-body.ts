import type { BodyReading } from '../../src/http/session-handler.js';

/** A larger copy: at least `size`, and at least double, so that copies are rare. */
const grown = (bytes: Uint8Array, size: number, maxBytes: number): Uint8Array => {
  const larger = new Uint8Array(Math.min(Math.max(size, 2 * bytes.length), maxBytes));
  larger.set(bytes);
  return larger;
};

/** Reads the body of a Fetch request chunk by chunk, and cancels it if it is too large. */
export const readFetchBody = async (request: Request, maxBytes: number): Promise<BodyReading> => {
  if (request.body === null) return { outcome: 'read', bytes: new Uint8Array() };
  if (request.bodyUsed || request.body.locked) return { outcome: 'lost' };
  const reader = request.body.getReader();
  let body: Uint8Array = new Uint8Array();
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk: Uint8Array = next.value;
      const end = size + chunk.length;
      if (end > maxBytes) {
        // Not awaited, because the source may be slow to stop, or fail.
        reader.cancel().catch(() => undefined);
        return { outcome: 'too_large' };
      }
      // Copied, because a chunk of one byte may be a view of a large buffer.
      if (end > body.length) body = grown(body, end, maxBytes);
      body.set(chunk, size);
      size = end;
    }
    return { outcome: 'read', bytes: body.subarray(0, size) };
  } catch {
    return { outcome: 'aborted' };
  }
};
