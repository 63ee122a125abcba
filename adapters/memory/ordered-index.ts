/** Compares two items: negative if `a` comes first, 0 if they are the same item. */
export type Order<T> = (a: T, b: T) => number;

interface Leaf<T> {
  readonly items: T[];
}

interface Branch<T> {
  readonly children: Node<T>[];
  /**
   * For each child, a lower bound: an item that is not after any of its items, but after all items
   * of the children before it.
   */
  readonly firsts: T[];
  /** For each child, the number of items in the children before it. */
  readonly starts: number[];
  size: number;
}

type Node<T> = Leaf<T> | Branch<T>;

/** Maximum number of items of a leaf, and of children of a branch. */
const WIDTH = 64;

const isLeaf = <T>(node: Node<T>): node is Leaf<T> => 'items' in node;
const sizeOf = <T>(node: Node<T>): number => (isLeaf(node) ? node.items.length : node.size);
const widthOf = <T>(node: Node<T>): number =>
  isLeaf(node) ? node.items.length : node.children.length;

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new RangeError('the index is broken: a node is empty');
  return item;
};

const shift = (starts: number[], from: number, by: number): void => {
  for (let slot = from; slot < starts.length; slot += 1) starts[slot] = at(starts, slot) + by;
};

const firstOf = <T>(node: Node<T>): T => (isLeaf(node) ? at(node.items, 0) : at(node.firsts, 0));

/** Number of the sorted items that come before `item`; with `orSame`, including `item`. */
const rankIn = <T>(items: readonly T[], item: T, order: Order<T>, orSame: boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const compared = order(at(items, middle), item);
    if (compared < 0 || (orSame && compared === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const childFor = <T>({ firsts }: Branch<T>, item: T, order: Order<T>): number =>
  Math.max(0, rankIn(firsts, item, order, true) - 1);

/**
 * Where to split a node that an insert at `slot` made too wide. Inserts in ascending or descending
 * order leave full nodes.
 */
const splitPoint = (slot: number): number => {
  if (slot <= 1) return 1;
  return slot === WIDTH ? WIDTH : WIDTH >>> 1;
};

/** Adds an item. A node that becomes too wide returns its right part as a new node. */
const insertInto = <T>(node: Node<T>, item: T, order: Order<T>): Node<T> | undefined => {
  if (isLeaf(node)) {
    const slot = rankIn(node.items, item, order, false);
    node.items.splice(slot, 0, item);
    return node.items.length > WIDTH ? { items: node.items.splice(splitPoint(slot)) } : undefined;
  }
  const slot = childFor(node, item, order);
  node.size += 1;
  if (order(item, at(node.firsts, slot)) < 0) node.firsts[slot] = item;
  shift(node.starts, slot + 1, 1);
  const child = at(node.children, slot);
  const right = insertInto(child, item, order);
  if (right === undefined) return undefined;
  node.children.splice(slot + 1, 0, right);
  node.firsts.splice(slot + 1, 0, firstOf(right));
  node.starts.splice(slot + 1, 0, at(node.starts, slot) + sizeOf(child));
  if (node.children.length <= WIDTH) return undefined;
  const split = splitPoint(slot + 1);
  const starts = node.starts.splice(split);
  const left = at(starts, 0);
  shift(starts, 0, -left);
  const size = node.size - left;
  node.size = left;
  return { children: node.children.splice(split), firsts: node.firsts.splice(split), starts, size };
};

/** Merges the child at `slot` with the next one, if together they are at most half a node. */
const mergeAt = <T>(node: Branch<T>, slot: number): void => {
  const left = node.children[slot];
  const right = node.children[slot + 1];
  if (left === undefined || right === undefined || widthOf(left) + widthOf(right) > WIDTH / 2)
    return;
  if (isLeaf(left) && isLeaf(right)) left.items.push(...right.items);
  else if (!isLeaf(left) && !isLeaf(right)) {
    left.children.push(...right.children);
    left.firsts.push(...right.firsts);
    left.starts.push(...right.starts.map((start) => start + left.size));
    left.size += right.size;
  }
  node.children.splice(slot + 1, 1);
  node.firsts.splice(slot + 1, 1);
  node.starts.splice(slot + 1, 1);
};

/** Removes an item. Returns whether it was there. */
const removeFrom = <T>(node: Node<T>, item: T, order: Order<T>): boolean => {
  if (isLeaf(node)) {
    const slot = rankIn(node.items, item, order, false);
    const found = node.items[slot];
    if (found === undefined || order(found, item) !== 0) return false;
    node.items.splice(slot, 1);
    return true;
  }
  const slot = childFor(node, item, order);
  const child = at(node.children, slot);
  if (!removeFrom(child, item, order)) return false;
  node.size -= 1;
  shift(node.starts, slot + 1, -1);
  if (widthOf(child) === 0) {
    node.children.splice(slot, 1);
    node.firsts.splice(slot, 1);
    node.starts.splice(slot, 1);
  } else {
    mergeAt(node, slot);
    mergeAt(node, slot - 1);
  }
  return true;
};

/**
 * The child that has the item of a rank. Searches from the front: first pages are the most
 * frequent.
 */
const childAt = (starts: readonly number[], rank: number): number => {
  if (rank < (starts[1] ?? Number.POSITIVE_INFINITY)) return 0;
  let low = 1;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (at(starts, middle) <= rank) low = middle;
    else high = middle;
  }
  return low;
};

/** The items of the ranks from `start` to `end`, exclusive, which must be within the node. */
const collect = <T>(node: Node<T>, start: number, end: number): T[] => {
  if (isLeaf(node)) return node.items.slice(start, end);
  const { children, starts } = node;
  const slot = childAt(starts, start);
  const before = at(starts, slot);
  const after = starts[slot + 1] ?? node.size;
  const first = at(children, slot);
  if (end <= after) return collect(first, start - before, end - before);
  return [...collect(first, start - before, after - before), ...collect(node, after, end)];
};

/**
 * Number of leading items for which `holds` is true. It must be false for all items after the first
 * false one.
 */
const leading = <T>(items: readonly T[], holds: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(at(items, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
};

const leadingIn = <T>(node: Node<T>, holds: (item: T) => boolean): number => {
  if (isLeaf(node)) return leading(node.items, holds);
  const slot = Math.max(0, leading(node.firsts, holds) - 1);
  return at(node.starts, slot) + leadingIn(at(node.children, slot), holds);
};

/** Sorted items that are read by rank. */
export interface SortedItems<T> {
  readonly size: number;
  /**
   * Number of leading items for which `holds` is true. It must be false for all items after the
   * first false one.
   */
  leading(holds: (item: T) => boolean): number;
  /** The items of the ranks from `start` to `end`, exclusive, in order. */
  slice(start: number, end: number): T[];
}

/**
 * A sorted set that knows the rank of its items: a counted B+ tree. Adding, removing and finding a
 * rank take O(log n), a page O(log n + page), at any size and any page.
 */
export class OrderedIndex<T> implements SortedItems<T> {
  readonly #order: Order<T>;
  #root: Node<T> = { items: [] };

  constructor(order: Order<T>) {
    this.#order = order;
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  /** Adds an item that is not in the index yet. */
  insert(item: T): void {
    const right = insertInto(this.#root, item, this.#order);
    if (right === undefined) return;
    const children = [this.#root, right];
    const starts = [0, sizeOf(this.#root)];
    this.#root = {
      children,
      firsts: children.map(firstOf),
      starts,
      size: at(starts, 1) + sizeOf(right),
    };
  }

  /** Removes the item that compares equal, if it is there. */
  remove(item: T): void {
    removeFrom(this.#root, item, this.#order);
    if (!isLeaf(this.#root) && this.#root.children.length === 1)
      this.#root = at(this.#root.children, 0);
  }

  leading(holds: (item: T) => boolean): number {
    return leadingIn(this.#root, holds);
  }

  slice(start: number, end: number): T[] {
    const from = Math.max(0, start);
    const to = Math.min(end, this.size);
    return from < to ? collect(this.#root, from, to) : [];
  }
}
