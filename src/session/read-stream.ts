/**
 * Bytes that arrive in chunks, copied into one buffer. Keeping each chunk would cost many times the
 * memory: one of a single byte may be a view of a large buffer.
 */
export class GrowingBytes {
  readonly #most: number;
  #buffer = new Uint8Array(0);
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a chunk. Returns false, and adds nothing, if there would be more than `most`. */
  add(chunk: Uint8Array): boolean {
    const end = this.#size + chunk.length;
    if (end > this.#most) return false;
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.set(chunk, this.#size);
    this.#size = end;
    return true;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  /** To at least double, so that copies are rare. */
  #grow(size: number): void {
    const larger = new Uint8Array(Math.min(Math.max(size, 2 * this.#buffer.length), this.#most));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}

/** Cancels a stream without waiting for it: its source may be slow to stop. Errors are ignored. */
export const cancel = (stream: { cancel(): Promise<unknown> } | null | undefined): void => {
  (async () => stream?.cancel())().catch(() => undefined);
};

/**
 * Reads a stream to its end; undefined if it has more than `most` bytes, and then cancels it.
 * Rejects if the stream fails.
 */
export const readStream = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> => {
  const body = new GrowingBytes(most);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return body.bytes;
    if (body.add(value)) continue;
    cancel(reader);
    return undefined;
  }
};
