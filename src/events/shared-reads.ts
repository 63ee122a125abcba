/**
 * Reads that several wait for at the same time. For each key one is under way; who asks meanwhile shares the next one
 * with all others who do. So nobody gets what was read before it asked, and a crowd costs two reads.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<T>>();

  read(key: string, read: () => PromiseLike<T>): Promise<T> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) return waiting;
    const next = this.#after(this.#running.get(key), key, read);
    this.#next.set(key, next);
    return next;
  }

  async #after(running: Promise<unknown> | undefined, key: string, read: () => PromiseLike<T>): Promise<T> {
    // How it ends is for those to know who wait for it.
    await running?.catch(() => undefined);
    this.#next.delete(key);
    const began = Promise.resolve(read());
    this.#running.set(key, began);
    try {
      return await began;
    } finally {
      if (this.#running.get(key) === began) this.#running.delete(key);
    }
  }
}
