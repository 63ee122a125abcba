/** Numbers that look random and follow from a seed (mulberry32), so that a failure can be repeated. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.roll() * count);
  }

  chance(share: number): boolean {
    return this.roll() < share;
  }

  /** One of the values; undefined if there are none. */
  pick<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  maybe<T>(share: number, value: T): T | undefined {
    return this.chance(share) ? value : undefined;
  }
}
