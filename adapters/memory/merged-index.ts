import type { Order, SortedItems } from './ordered-index.js';

/**
 * Indexes without a common item, read as one, in O(log² n + page). It is a view: changes of the
 * indexes show in it.
 */
export class MergedIndex<T> implements SortedItems<T> {
  readonly #indexes: readonly SortedItems<T>[];
  readonly #order: Order<T>;

  /** The items of all indexes must be sorted by `order`. */
  constructor(indexes: readonly SortedItems<T>[], order: Order<T>) {
    this.#indexes = indexes;
    this.#order = order;
  }

  get size(): number {
    return this.#indexes.reduce((sum, { size }) => sum + size, 0);
  }

  leading(holds: (item: T) => boolean): number {
    return this.#indexes.reduce((sum, index) => sum + index.leading(holds), 0);
  }

  slice(start: number, end: number): T[] {
    const parts = this.#indexes.map((index) =>
      index.slice(this.#share(index, start), this.#share(index, end)),
    );
    return parts.flat().sort(this.#order);
  }

  /** Number of items of one index among the first `count` of all. */
  #share(index: SortedItems<T>, count: number): number {
    if (count <= 0) return 0;
    if (count >= this.size) return index.size;
    return index.leading((item) => this.leading((other) => this.#order(other, item) < 0) < count);
  }
}
