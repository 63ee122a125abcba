/** A call in a lane, with its size. */
interface Waiting<C, R> {
  readonly call: C;
  readonly bytes: number;
  readonly settle: (result: R) => void;
}

/** How a lane groups its calls. */
export interface LaneOptions<C, R> {
  /**
   * Makes the calls of a group, and returns a result for each, in their order. Must not throw or reject. A call has
   * been made for as long as its own timeout allows, whatever becomes of the others.
   */
  readonly make: (calls: readonly C[]) => readonly R[] | Promise<readonly R[]>;
  /** Maximum number of groups that are under way at the same time. */
  readonly groups: number;
  /** Maximum number of calls of a group. */
  readonly calls: number;
  /** Maximum bytes of a group, unless a single call has more. */
  readonly bytes: number;
}

// Kept, because test doubles of timers may replace it while a lane is in use.
const { setImmediate: afterTurn } = globalThis;

/**
 * Groups the calls that arrive in one turn of the event loop, or while all groups are under way, so that they share a
 * commit, a round trip or a plan. A call that is alone leaves at the end of its turn: no timer, and no wait for others.
 * Groups leave in the order of arrival, and the event loop has a turn between two of them.
 */
export class Lane<C, R> {
  readonly #options: LaneOptions<C, R>;
  readonly #waiting: Waiting<C, R>[] = [];
  #underWay = 0;
  #isLeaving = false;

  constructor(options: LaneOptions<C, R>) {
    this.#options = options;
  }

  /** Makes a call in the next group. `bytes` is about its size. */
  run(call: C, bytes: number): Promise<R> {
    return new Promise((settle) => {
      this.#waiting.push({ call, bytes, settle });
      this.#leaveSoon();
    });
  }

  #leaveSoon(): void {
    if (this.#isLeaving || this.#waiting.length === 0) return;
    if (this.#underWay >= this.#options.groups) return;
    this.#isLeaving = true;
    afterTurn(() => {
      this.#isLeaving = false;
      void this.#leave(this.#nextGroup());
      this.#leaveSoon();
    });
  }

  #nextGroup(): readonly Waiting<C, R>[] {
    const { calls, bytes: most } = this.#options;
    let [count, bytes] = [0, 0];
    for (const each of this.#waiting) {
      bytes += each.bytes;
      if (count > 0 && (count >= calls || bytes > most)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #leave(group: readonly Waiting<C, R>[]): Promise<void> {
    this.#underWay += 1;
    const results = await this.#options.make(group.map(({ call }) => call));
    this.#underWay -= 1;
    for (const [at, { settle }] of group.entries()) {
      const result = results[at];
      if (result !== undefined) settle(result);
    }
    this.#leaveSoon();
  }
}
