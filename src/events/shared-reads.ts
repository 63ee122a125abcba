/**
 * Reads that many ask for at the same time. Who asks while one is running shares the next with all others who do. So
 * nobody gets what was read before it asked, and a crowd costs two reads.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  read(name: string, read: () => Promise<T>): Promise<T> {
    const next = this.#next.get(name) ?? this.#readAfter(this.#running.get(name), name, read);
    this.#next.set(name, next);
    return next;
  }

  async #readAfter(running: Promise<T> | undefined, name: string, read: () => Promise<T>): Promise<T> {
    // How that one ends is for those to know who wait for it.
    await running?.catch(() => undefined);
    this.#next.delete(name);
    const begun = read();
    this.#running.set(name, begun);
    try {
      return await begun;
    } finally {
      if (this.#running.get(name) === begun) this.#running.delete(name);
    }
  }
}
