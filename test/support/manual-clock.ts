import type { Clock } from '../../src/session/clock.js';

/** When the tests take place, in milliseconds since the epoch. */
export const NOON = Date.UTC(2026, 0, 31, 12);

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #ms = NOON;

  now(): number {
    return this.#ms;
  }

  /** Moves by so many milliseconds, backwards too. */
  pass(ms: number): void {
    this.#ms += ms;
  }
}
