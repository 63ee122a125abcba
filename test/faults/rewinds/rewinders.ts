import { built } from '../../support/built.js';
import { KilledProcesses } from '../../support/killed-processes.js';
import type { Shared } from '../../support/shared-store.js';

/** What a process asks for. */
export interface Asked {
  readonly by: string;
  readonly operationId: string;
  readonly contents: readonly string[];
  readonly ifPosition?: number;
  /**
   * For a rewind, which has an `ifPosition`: the position that the contents follow, and what is
   * said there; nothing at the beginning.
   */
  readonly to?: number;
  readonly following?: string;
}

/** What it was answered. Without any of these, nobody knows what has become of it. */
interface Answered {
  readonly by: string;
  readonly position?: number;
  readonly refused?: true;
  readonly inDoubt?: true;
}

const worker = await built('rewinder');

/** Processes that append to one session and rewind it, and what all of them know of it. */
export class Rewinders extends KilledProcesses<Asked, Answered> {
  readonly acknowledged: ReadonlyMap<number, Asked>;
  readonly refused: readonly Asked[];

  constructor(shared: Shared, id: string, seed: number) {
    const acknowledged = new Map<number, Asked>();
    const refused: Asked[] = [];
    super(worker, [JSON.stringify(shared), id], seed, {
      isAsked: (said): said is Asked => 'operationId' in said,
      hear: (asked, { position, refused: isRefused }) => {
        if (position === undefined && isRefused) refused.push(asked);
        if (position === undefined) return isRefused ? 'refused' : 'in doubt';
        acknowledged.set(position, asked);
        return 'acknowledged';
      },
    });
    this.acknowledged = acknowledged;
    this.refused = refused;
  }
}
