interface Pending {
  /** By `performance.now()`. */
  readonly end: number;
  readonly onLate: () => void;
}

/**
 * Ends what takes too long. One timer watches over all calls that are under way, since one for each of them would cost
 * a tenth of a short call. It keeps the process alive only while there is something to wait for.
 */
export class Deadlines {
  readonly #pending = new Set<Pending>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  /** Calls `onLate` at `end`, unless what this gives is called before. */
  watch(end: number, onLate: () => void): () => void {
    const pending = { end, onLate };
    this.#pending.add(pending);
    if (end < this.#firesAt) this.#fireAt(end);
    else if (this.#pending.size === 1) this.#timer?.ref();
    return () => {
      this.#pending.delete(pending);
      if (this.#pending.size === 0) this.#timer?.unref();
    };
  }

  #fireAt(end: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = end;
    this.#timer = setTimeout(() => this.#fire(), Math.ceil(end - performance.now()));
  }

  #fire(): void {
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const pending of this.#pending) {
      if (pending.end > now) {
        next = Math.min(next, pending.end);
        continue;
      }
      this.#pending.delete(pending);
      pending.onLate();
    }
    if (next < this.#firesAt) this.#fireAt(next);
  }
}
