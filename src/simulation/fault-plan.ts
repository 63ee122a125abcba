import { pick } from './chance-of.js';
import type { World } from './world.js';

export const faultTypes = ['crash', 'lostReply', 'refused', 'pause', 'clockJump', 'slowStore'] as const;

/**
 * What may go wrong with a call of the store:
 *
 * - `crash`: the process dies, before or after the call is applied, and another one is started.
 * - `lostReply`: the call or its answer is lost: `store_unavailable` with the outcome `unknown`.
 * - `refused`: the call is not applied: `store_unavailable` with the outcome `not_applied`.
 * - `pause`: the process is suspended for up to a minute, and then continues.
 * - `clockJump`: the clock of the process is set forward or back by up to a minute.
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

/** One of this number of calls has a fault: in the calmest run, and in the wildest. */
const [RARE, OFTEN] = [100, 6];

/** Decides which calls of the store have a fault. */
export class FaultPlan {
  readonly #world: World;
  readonly #options: FaultPlanOptions;
  readonly #rate: number;
  readonly #made: string[] = [];

  constructor(world: World, options: FaultPlanOptions) {
    this.#world = world;
    this.#options = options;
    this.#rate = 1 / (OFTEN + (RARE - OFTEN) * world.chance('rate of faults'));
  }

  /** The calls that had a fault. */
  get made(): readonly string[] {
    return this.#made;
  }

  faultOf(call: string): FaultType | undefined {
    const { types, until, only } = this.#options;
    if (this.#world.now >= until || this.#world.chance(`${call} fault`) >= this.#rate) return undefined;
    if (only?.has(call) === false) return undefined;
    this.#made.push(call);
    return pick(types, this.#world.chance(`${call} type`));
  }
}
