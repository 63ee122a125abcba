import type { Clock } from '../../src/session/clock.js';

/** When the tests take place, in milliseconds since the epoch. */
export const NOON = Date.UTC(2026, 0, 31, 12);

/** A clock that moves only when the test moves it. */
export class ManualClock implements Clock {
  #ms = NOON;

  now(): number {
    return this.#ms;
  }

  /** Moves by a number of milliseconds, also backwards. */
  pass(ms: number): void {
    this.#ms += ms;
  }
}
