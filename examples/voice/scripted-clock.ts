import { setImmediate as allElse } from 'node:timers/promises';
import type { Clock } from 'colloquy';

interface Waiting {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A clock that advances when all code waits for it: minutes of talk take no time, and give the same
 * output each time.
 */
export class ScriptedClock implements Clock {
  #now = Date.UTC(2026, 0, 31, 18);
  #waiting: Waiting[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, done: () => void): () => void {
    const cancel = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
    };
    const wake = () => {
      cancel();
      done();
    };
    const waiting: Waiting = { at: this.#now + Math.max(0, ms), wake };
    this.#waiting.push(waiting);
    return cancel;
  }

  /** Waits until the time has passed or the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.after(ms, () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      });
      const wake = () => {
        stop();
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Advances the clock until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const noteEnd = () => {
      isDone = true;
    };
    work.then(noteEnd, noteEnd);
    for (;;) {
      await allElse();
      if (isDone) return work;
      const next = this.#waiting.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}
