import { inOwnContext } from './in-own-context.js';

/**
 * Shares reads between concurrent callers. Callers that arrive during a read share the next one. So
 * no caller receives data from before its call, and any number of concurrent callers cost two
 * reads.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  read(name: string, read: () => Promise<T>): Promise<T> {
    const next = this.#next.get(name) ?? this.#readAfter(this.#running.get(name), name, read);
    this.#next.set(name, next);
    return next;
  }

  async #readAfter(
    running: Promise<T> | undefined,
    name: string,
    read: () => Promise<T>,
  ): Promise<T> {
    // The callers of that read handle its error.
    await running?.catch(() => undefined);
    this.#next.delete(name);
    const begun = inOwnContext(read);
    this.#running.set(name, begun);
    try {
      return await begun;
    } finally {
      if (this.#running.get(name) === begun) this.#running.delete(name);
    }
  }
}
