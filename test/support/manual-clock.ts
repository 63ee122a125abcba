import type { Clock } from '../../src/session/clock.js';

/** The time of the tests, in milliseconds since the epoch. */
export const NOON = Date.UTC(2026, 0, 31, 12);

/** A clock that only the test moves. Timers of the clock fire when it reaches their time. */
export class ManualClock implements Clock {
  #ms = NOON;
  readonly #waiting = new Map<() => void, number>();

  now(): number {
    return this.#ms;
  }

  after(ms: number, done: () => void): () => void {
    const call = () => done();
    this.#waiting.set(call, this.#ms + ms);
    return () => this.#waiting.delete(call);
  }

  /** Number of timers. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Moves the clock, also backwards. */
  pass(ms: number): void {
    this.#ms += ms;
    for (const [wake, at] of [...this.#waiting]) {
      if (at > this.#ms) continue;
      this.#waiting.delete(wake);
      wake();
    }
  }
}

/** Moves the clock, and runs everything that waited for it. */
export const pass = async (clock: ManualClock, ms: number): Promise<void> => {
  for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
  clock.pass(ms);
  for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
};

/** Moves the clock in steps of 100 ms until a promise settles. */
export const passUntil = async <T>(clock: ManualClock, promise: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (;;) {
    await new Promise(setImmediate);
    if (isSettled) return promise;
    clock.pass(100);
  }
};
