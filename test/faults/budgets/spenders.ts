import { built } from '../../support/built.js';
import { KilledProcesses } from '../../support/killed-processes.js';
import type { Shared } from '../../support/shared-store.js';
import type { Asked, Told } from './spending.js';

const worker = await built('spender');

/** Processes whose writers spend, and what all of them know of it. */
export class Spenders extends KilledProcesses<Asked, Told> {
  readonly acknowledged: readonly Asked[];
  readonly #again: readonly number[];

  constructor(shared: Shared, ids: readonly string[], writers: number, seed: number) {
    const acknowledged: Asked[] = [];
    const again: number[] = [];
    super(worker, [JSON.stringify(shared), JSON.stringify(ids), String(writers)], seed, {
      isAsked: (said): said is Asked => 'usage' in said,
      hear: (asked, told) => {
        again.push(told.again);
        if (told.outcome === 'unknown') return 'in doubt';
        if (told.outcome === 'not_applied') return 'refused';
        acknowledged.push(asked);
        return 'acknowledged';
      },
    });
    this.acknowledged = acknowledged;
    this.#again = again;
  }

  /** How often something was sent again. */
  get again(): number {
    return this.#again.reduce((sum, times) => sum + times, 0);
  }
}
