import { inOwnContext } from '../../src/events/in-own-context.js';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import { type Turn, Turns } from './turns.js';

export interface Place extends Turn {
  /** Approximate size. A call of `Infinity` bytes is alone in its group. */
  readonly bytes: number;
}

interface Waiting<C, R> extends Place {
  readonly call: C;
  /** Continues the call, which returns what `end` returns. */
  readonly goOn: (end: () => R | Promise<R>) => void;
}

export interface LaneOptions<C, R> {
  /** Makes the calls of a group within a bounded time, and returns a result for each. */
  readonly make: (calls: readonly C[]) => readonly R[] | Promise<readonly R[]>;
  readonly groups: number;
  readonly calls: number;
  /** Maximum bytes of a group. A larger call is alone. */
  readonly bytes: number;
  /**
   * Runs a function when all calls of this turn have arrived. Default: in a later turn of the event
   * loop, for a `make` that blocks it. `atEndOfTurn` suits a `make` that waits for a server.
   */
  readonly soon?: (leave: () => void) => void;
}

const NO_RESULT = 'a call got no result';

/**
 * Groups the calls that arrive in one turn of the event loop, or while all groups are under way, so
 * that they share a commit, a round trip or a plan. A single call leaves at the end of its turn,
 * without a timer. Tenants take turns, so that the calls of a tenant do not delay the calls of
 * others; see `Turn` for the order of a tenant's calls.
 *
 * A single call runs in its own async context, so that the trace of its caller contains it. A group
 * of several calls has no caller's context.
 */
export class Lane<C, R> {
  readonly #options: LaneOptions<C, R>;
  readonly #waiting = new Turns<Waiting<C, R>>();
  #underWay = 0;
  #isLeaving = false;

  constructor(options: LaneOptions<C, R>) {
    this.#options = options;
  }

  /** Rejects if `make` throws, rejects or returns too few results. */
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
      // Has no effect on calls that have a result.
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
