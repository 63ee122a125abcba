import { inLaterTurn } from '../../src/events/yield-to-event-loop.js';

/** A call in a lane, with its size. */
interface Waiting<C, R> {
  readonly call: C;
  readonly bytes: number;
  readonly key: string | undefined;
  readonly resolve: (result: R) => void;
  readonly reject: (cause: unknown) => void;
}

/** How a lane groups its calls. */
export interface LaneOptions<C, R> {
  /**
   * Makes the calls of a group, within a bounded time. Returns a result for each, in their order.
   */
  readonly make: (calls: readonly C[]) => readonly R[] | Promise<readonly R[]>;
  /** Maximum number of groups that are under way at the same time. */
  readonly groups: number;
  /** Maximum number of calls of a group. */
  readonly calls: number;
  /** Maximum bytes of a group, unless a single call has more. */
  readonly bytes: number;
  /**
   * Runs a function when all calls of this turn have arrived. Default: in a later turn of the event
   * loop, for a `make` that blocks it; one that waits for a server can take `nextTick`, which runs
   * before others get a turn.
   */
  readonly soon?: (leave: () => void) => void;
}

/**
 * Groups the calls that arrive in one turn of the event loop, or while all groups are under way, so
 * that they share a commit, a round trip or a plan. A call that is alone leaves at the end of its
 * turn: no timer, and no wait for others. Groups leave in the order of arrival. Calls with the same
 * key are made in the order of arrival, even if several groups are under way: none leaves while a
 * group with an earlier one is under way.
 */
export class Lane<C, R> {
  readonly #options: LaneOptions<C, R>;
  /** The keys of the groups that are under way. */
  readonly #keys = new Set<string>();
  #waiting: Waiting<C, R>[] = [];
  #underWay = 0;
  #isLeaving = false;

  constructor(options: LaneOptions<C, R>) {
    this.#options = options;
  }

  /**
   * Makes a call in the next group. `bytes` is about its size; one of `Infinity` is alone in its
   * group. Rejects if `make` throws, rejects or returns too few results.
   */
  run(call: C, bytes: number, key?: string): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, bytes, key, resolve, reject });
      this.#leaveSoon();
    });
  }

  #leaveSoon(): void {
    if (this.#isLeaving || this.#waiting.length === 0) return;
    if (this.#underWay >= this.#options.groups) return;
    this.#isLeaving = true;
    const { soon = inLaterTurn } = this.#options;
    soon(() => {
      this.#isLeaving = false;
      const group = this.#nextGroup();
      if (group.length === 0) return;
      void this.#leave(group);
      this.#leaveSoon();
    });
  }

  #nextGroup(): readonly Waiting<C, R>[] {
    const most = this.#options;
    const group: Waiting<C, R>[] = [];
    const held: Waiting<C, R>[] = [];
    let bytes = 0;
    for (const each of this.#waiting) {
      if (this.#isUnderWay(each)) {
        held.push(each);
        continue;
      }
      bytes += each.bytes;
      const isTooMuch = group.length >= most.calls || bytes > most.bytes;
      if (isTooMuch && group.length > 0) break;
      group.push(each);
    }
    const rest = this.#waiting.slice(held.length + group.length);
    this.#waiting = [...held, ...rest];
    return group;
  }

  #isUnderWay({ key }: Waiting<C, R>): boolean {
    return key !== undefined && this.#keys.has(key);
  }

  async #leave(group: readonly Waiting<C, R>[]): Promise<void> {
    this.#underWay += 1;
    for (const { key } of group) if (key !== undefined) this.#keys.add(key);
    try {
      const results = await this.#options.make(group.map(({ call }) => call));
      for (const [at, result] of results.entries()) group[at]?.resolve(result);
      if (results.length < group.length) throw new Error('a call got no result');
    } catch (cause) {
      // Changes nothing for calls that have a result.
      for (const { reject } of group) reject(cause);
    }
    this.#underWay -= 1;
    for (const { key } of group) if (key !== undefined) this.#keys.delete(key);
    this.#leaveSoon();
  }
}
