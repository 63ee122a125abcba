import { pick } from './chance-of.js';
import type { World } from './world.js';

export const faultTypes = [
  'crash',
  'lostReply',
  'refused',
  'pause',
  'clockJump',
  'slowStore',
] as const;

/**
 * What may go wrong with a call of the store:
 *
 * - `crash`: the process dies, before or after the call is applied, and a new process starts.
 * - `lostReply`: the call or its answer is lost: `store_unavailable` with the outcome `unknown`.
 * - `refused`: the call is not applied: `store_unavailable` with the outcome `not_applied`.
 * - `pause`: the process is suspended for up to a minute, and then continues.
 * - `clockJump`: the clock of the process jumps, to at most a minute before or after the correct
 *   time.
 * - `slowStore`: the call is applied, or answered, up to 20 seconds late.
 */
export type FaultType = (typeof faultTypes)[number];

export interface FaultPlanOptions {
  readonly types: readonly FaultType[];
  /** When the faults end. */
  readonly until: number;
  /** Only these calls may have faults. Default: all calls. */
  readonly only?: ReadonlySet<string> | undefined;
}

/**
 * Decides which calls of the store have a fault. The n-th call of a method has one with the chance
 * `rate / n`, so that a thousand polls take no faults from the only append. Each run has its own
 * rate for each method, most of them high.
 */
export class FaultPlan {
  readonly #world: World;
  readonly #options: FaultPlanOptions;
  readonly #counts = new Map<string, number>();
  readonly #made: string[] = [];

  constructor(world: World, options: FaultPlanOptions) {
    this.#world = world;
    this.#options = options;
  }

  get made(): readonly string[] {
    return this.#made;
  }

  /**
   * The name of the next call of a host, and its fault. A call is named by its number among those
   * of its host and method, so that it mostly keeps its name if a fault before it is left out.
   */
  next(
    host: number,
    method: string,
  ): { readonly id: string; readonly fault: FaultType | undefined } {
    const id = `${host} ${method} ${this.#count(`${host} ${method}`)}`;
    const { types, until, only } = this.#options;
    const rate = Math.sqrt(this.#world.chance(`rate of ${method}`)) / this.#count(method);
    const isHit = only?.has(id) ?? this.#world.chance(`${id} fault`) < rate;
    if (!isHit || this.#world.now >= until) return { id, fault: undefined };
    this.#made.push(id);
    return { id, fault: pick(types, this.#world.chance(`${id} type`)) };
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}
