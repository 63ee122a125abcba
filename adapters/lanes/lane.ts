import { inOwnContext } from '../../src/events/in-own-context.js';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import { type Turn, Turns } from './turns.js';

/** The turn that a call waits for, and its approximate size. */
export interface Place extends Turn {
  /** A call of `Infinity` bytes is alone in its group. */
  readonly bytes: number;
}

/** A call in a lane. */
interface Waiting<C, R> extends Place {
  readonly call: C;
  /** Continues the call, which ends as `end` does. */
  readonly goOn: (end: () => R | Promise<R>) => void;
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
   * loop, for a `make` that blocks it; one that waits for a server can take `atEndOfTurn`.
   */
  readonly soon?: (leave: () => void) => void;
}

const NO_RESULT = 'a call got no result';

/**
 * Groups the calls that arrive in one turn of the event loop, or while all groups are under way, so
 * that they share a commit, a round trip or a plan. A call that is alone leaves at the end of its
 * turn: no timer, and no wait for others. Tenants take turns, so that the calls of one tenant do
 * not delay the calls of others; see `Turn` for the order of the calls of a tenant.
 *
 * A call that is alone in its group is made in its own async context, so that the trace of its
 * caller contains it. A group of several has no caller's context.
 */
export class Lane<C, R> {
  readonly #options: LaneOptions<C, R>;
  readonly #waiting = new Turns<Waiting<C, R>>();
  #underWay = 0;
  #isLeaving = false;

  constructor(options: LaneOptions<C, R>) {
    this.#options = options;
  }

  /**
   * Makes a call in the next group. Rejects if `make` throws, rejects or returns too few results.
   */
  async run(call: C, place: Place): Promise<R> {
    const end = await new Promise<() => R | Promise<R>>((goOn) => {
      const { tenant, key, bytes } = place;
      this.#waiting.add({ tenant, key, bytes, call, goOn });
      this.#leaveSoon();
    });
    return end();
  }

  #leaveSoon(): void {
    if (this.#isLeaving || this.#waiting.size === 0) return;
    if (this.#underWay >= this.#options.groups) return;
    this.#isLeaving = true;
    const { soon = inLaterTurn } = this.#options;
    soon(() => {
      this.#isLeaving = false;
      const group = this.#nextGroup();
      if (group.length === 0) return;
      this.#leave(group);
      this.#leaveSoon();
    });
  }

  #nextGroup(): readonly Waiting<C, R>[] {
    const most = this.#options;
    const group: Waiting<C, R>[] = [];
    let bytes = 0;
    const fits = (next: Waiting<C, R>): boolean =>
      group.length === 0 || (group.length < most.calls && bytes + next.bytes <= most.bytes);
    for (let next = this.#waiting.take(fits); next; next = this.#waiting.take(fits)) {
      group.push(next);
      bytes += next.bytes;
    }
    return group;
  }

  #leave(group: readonly Waiting<C, R>[]): void {
    this.#underWay += 1;
    this.#waiting.hold(group);
    const [first, second] = group;
    if (second !== undefined) void inOwnContext(() => this.#makeTogether(group));
    else first?.goOn(() => this.#makeAlone(first));
  }

  async #makeAlone(waiting: Waiting<C, R>): Promise<R> {
    const results = await this.#make([waiting]);
    const { done, value } = results.values().next();
    if (done) throw new Error(NO_RESULT);
    return value;
  }

  async #makeTogether(group: readonly Waiting<C, R>[]): Promise<void> {
    try {
      const results = await this.#make(group);
      for (const [at, result] of results.entries()) group[at]?.goOn(() => result);
      if (results.length < group.length) throw new Error(NO_RESULT);
    } catch (cause) {
      // Changes nothing for calls that have a result.
      for (const { goOn } of group) goOn(() => Promise.reject(cause));
    }
  }

  async #make(group: readonly Waiting<C, R>[]): Promise<readonly R[]> {
    try {
      return await this.#options.make(group.map(({ call }) => call));
    } finally {
      this.#underWay -= 1;
      this.#waiting.release(group);
      this.#leaveSoon();
    }
  }
}
