/** Compares two items: negative if `a` comes first, 0 if they are the same item. */
export type Order<T> = (a: T, b: T) => number;

const CHUNK = 256;

/**
 * Number of leading items for which `holds` is true. It must be false for all items after the first
 * false one.
 */
export const leading = <T>(items: readonly T[], holds: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
};

export interface SortedItems<T> {
  readonly size: number;
  leading(holds: (item: T) => boolean): number;
  /** The items from one rank to another, exclusive. */
  slice(start: number, end: number): T[];
}

/**
 * A sorted set that knows the rank of its items, in sorted chunks. Two binary searches find an item
 * or a rank. After a change, the next read takes a step for each chunk up to where it reads.
 */
export class OrderedIndex<T> implements SortedItems<T> {
  readonly #order: Order<T>;
  readonly #chunks: T[][] = [];
  /** For each leading chunk, the number of items before it: as far as it was read since a change. */
  readonly #starts: number[] = [];
  #size = 0;

  constructor(order: Order<T>) {
    this.#order = order;
  }

  get size(): number {
    return this.#size;
  }

  /** The index must not contain the item. */
  insert(item: T): void {
    const at = this.#chunkOf((other) => this.#order(other, item) <= 0);
    this.#resize(1, at);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    const rank = this.#rankIn(chunk, item);
    chunk.splice(rank, 0, item);
    if (chunk.length <= CHUNK) return;
    // Inserts in descending order, the most frequent ones, leave full chunks.
    const split = rank === 0 ? 1 : CHUNK / 2;
    this.#chunks.splice(at + 1, 0, chunk.splice(split));
  }

  remove(item: T): void {
    const at = this.#chunkOf((other) => this.#order(other, item) <= 0);
    const chunk = this.#chunks[at] ?? [];
    const rank = this.#rankIn(chunk, item);
    const found = chunk[rank];
    if (found === undefined || this.#order(found, item) !== 0) return;
    this.#resize(-1, at);
    chunk.splice(rank, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  leading(holds: (item: T) => boolean): number {
    const at = this.#chunkOf(holds);
    return this.#startOf(at) + leading(this.#chunks[at] ?? [], holds);
  }

  slice(start: number, end: number): T[] {
    const items: T[] = [];
    for (let at = this.#chunkWith(start); at < this.#chunks.length; at += 1) {
      const before = this.#startOf(at);
      if (before >= end) break;
      const chunk = this.#chunks[at] ?? [];
      items.push(...chunk.slice(Math.max(0, start - before), end - before));
    }
    return items;
  }

  /** The last chunk whose first item `holds`; the first one if there is none. */
  #chunkOf(holds: (item: T) => boolean): number {
    const begun = leading(this.#chunks, (chunk) => {
      const first = chunk[0];
      return first !== undefined && holds(first);
    });
    return Math.max(0, begun - 1);
  }

  /** The chunks up to this one begin at the same rank as before. */
  #resize(by: number, at: number): void {
    this.#size += by;
    this.#starts.length = Math.min(this.#starts.length, at + 1);
  }

  #startOf(at: number): number {
    while (this.#starts.length <= at) this.#addStart();
    return this.#starts[at] ?? 0;
  }

  #addStart(): void {
    const last = this.#starts.length - 1;
    const items = this.#chunks[last]?.length ?? 0;
    this.#starts.push((this.#starts[last] ?? 0) + items);
  }

  /** The chunk with the item of this rank; the last one if there is none. */
  #chunkWith(rank: number): number {
    while (this.#starts.length < this.#chunks.length && (this.#starts.at(-1) ?? 0) <= rank)
      this.#addStart();
    return Math.max(0, leading(this.#starts, (start) => start <= rank) - 1);
  }

  #rankIn(chunk: readonly T[], item: T): number {
    return leading(chunk, (other) => this.#order(other, item) < 0);
  }
}

/** A view of indexes without a common item, which is read in O(log² n + page). */
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

  #share(index: SortedItems<T>, count: number): number {
    if (count <= 0) return 0;
    if (count >= this.size) return index.size;
    return index.leading((item) => this.leading((other) => this.#order(other, item) < 0) < count);
  }
}
