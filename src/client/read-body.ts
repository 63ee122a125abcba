/** The result for a body above the maximum. */
export const tooMuch = Symbol('too much');

const FIRST_BYTES = 64 * 1024;

/** Cancels a body without waiting for it. Errors are ignored. */
export const letGo = (body: { cancel(): Promise<unknown> } | null): void => {
  const gone = async () => body?.cancel();
  gone().catch(() => undefined);
};

const grown = (bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> => {
  if (length <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.max(length, bytes.length * 2));
  larger.set(bytes);
  return larger;
};

/**
 * Reads at most `maxBytes` of a body into one buffer. Keeping each chunk would cost many times the memory if chunks are
 * small.
 */
export const readBody = async ({ headers, body }: Response, maxBytes: number): Promise<Uint8Array | typeof tooMuch> => {
  if (Number(headers.get('content-length')) > maxBytes) {
    letGo(body);
    return tooMuch;
  }
  let bytes = new Uint8Array(0);
  if (body === null) return bytes;
  const reader = body.getReader();
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.length > maxBytes) {
      letGo(reader);
      return tooMuch;
    }
    bytes = grown(bytes, Math.min(maxBytes, Math.max(FIRST_BYTES, length + value.length)));
    bytes.set(value, length);
    length += value.length;
  }
};
