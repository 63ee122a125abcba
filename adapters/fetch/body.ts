import type { BodyReading } from '../../src/http/message.js';

/** The same bytes with room for `size`, and for as many again as there were, so that a body is not copied often. */
const grown = (bytes: Uint8Array, size: number, maxBytes: number): Uint8Array => {
  const larger = new Uint8Array(Math.min(Math.max(size, 2 * bytes.length), maxBytes));
  larger.set(bytes);
  return larger;
};

/** The body of a Fetch request, read chunk by chunk; the rest of one that is too large is cancelled. */
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
        // Not awaited: a source may take its time to stop, or fail at it, and the answer need not wait for that.
        reader.cancel().catch(() => undefined);
        return { outcome: 'too_large' };
      }
      // Copied, because a chunk of one byte may be a view of all that the runtime has read with it.
      if (end > body.length) body = grown(body, end, maxBytes);
      body.set(chunk, size);
      size = end;
    }
    return { outcome: 'read', bytes: body.subarray(0, size) };
  } catch {
    return { outcome: 'aborted' };
  }
};
