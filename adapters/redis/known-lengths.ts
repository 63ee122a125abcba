const MOST = 10_000;

/**
 * How long the journals were that this process wrote to last: an append then searches for its own mark only in what
 * came since. Bounded: what was not used for the longest time is forgotten first.
 */
export class KnownLengths {
  readonly #lengths = new Map<string, number>();

  get(journal: string): number | undefined {
    return this.#lengths.get(journal);
  }

  set(journal: string, length: number): void {
    this.#lengths.delete(journal);
    this.#lengths.set(journal, length);
    if (this.#lengths.size <= MOST) return;
    for (const oldest of this.#lengths.keys()) {
      this.#lengths.delete(oldest);
      return;
    }
  }

  delete(journal: string): void {
    this.#lengths.delete(journal);
  }
}
