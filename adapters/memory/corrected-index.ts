import type { Order, OrderedIndex } from './ordered-index.js';

/** A sorted sequence that knows ranks. */
export interface Ranked<T> {
  readonly size: number;
  /** How many items come first of which this holds; it must not hold of an item behind one of which it does not. */
  leading(holds: (item: T) => boolean): number;
  /** The items of rank `start` up to but not including `end`, in order. */
  slice(start: number, end: number): T[];
}

/** An index as it would be without some of its items, or with others, of which there are few; the index stays as it is. */
export class CorrectedIndex<T> implements Ranked<T> {
  readonly #index: OrderedIndex<T>;
  readonly #order: Order<T>;
  readonly #without: ReadonlySet<T>;
  readonly #added: readonly T[];

  constructor(index: OrderedIndex<T>, order: Order<T>, without: readonly T[], added: readonly T[]) {
    this.#index = index;
    this.#order = order;
    this.#without = new Set(without);
    this.#added = [...added].sort(order);
  }

  get size(): number {
    return this.#index.size - this.#without.size + this.#added.length;
  }

  leading(holds: (item: T) => boolean): number {
    const count = (items: Iterable<T>): number => [...items].filter(holds).length;
    return this.#index.leading(holds) - count(this.#without) + count(this.#added);
  }

  slice(start: number, end: number): T[] {
    // An item's rank here differs from that in the index by no more than the number of corrections.
    const from = Math.max(0, Math.min(start - this.#added.length, this.#index.size - 1));
    const items = this.#index.slice(from, end + this.#without.size);
    const [first] = items;
    const isBefore = (item: T): boolean => from > 0 && first !== undefined && this.#order(item, first) < 0;
    const removedBefore = [...this.#without].filter(isBefore).length;
    const addedBefore = this.#added.filter(isBefore).length;
    const rank = from - removedBefore + addedBefore;
    const merged = [
      ...items.filter((item) => !this.#without.has(item)),
      ...this.#added.filter((item) => !isBefore(item)),
    ].sort(this.#order);
    return merged.slice(Math.max(0, start - rank), Math.max(0, end - rank));
  }
}
