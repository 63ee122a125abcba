import type { EventLog } from '../../src/store/session-store.js';

/** Milliseconds between two calls of a listener on a log without `listen`. */
const INTERVAL = 20;

const poll = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, INTERVAL);
  return () => clearInterval(timer);
};

/** A log that knows whether anybody listens. */
export class CountedLog implements EventLog {
  readonly #inner: EventLog;
  #listeners = 0;

  constructor(inner: EventLog | undefined) {
    if (inner === undefined) throw new Error('the store has no events');
    this.#inner = inner;
  }

  /** Waits for this number of listeners. */
  async listeners(count: number): Promise<void> {
    for (let turns = 0; this.#listeners !== count; turns += 1) {
      if (turns > 100_000) throw new Error(`${this.#listeners} listen, and not ${count}`);
      await new Promise(setImmediate);
    }
  }

  streamOf(tenant: string) {
    return this.#inner.streamOf(tenant);
  }

  latest(stream: string) {
    return this.#inner.latest(stream);
  }

  now(stream: string) {
    return this.#inner.now(stream);
  }

  read(stream: string, position: string, limit: number) {
    return this.#inner.read(stream, position, limit);
  }

  listen(listener: () => void, stream: string): () => void {
    const stop = this.#inner.listen?.(listener, stream) ?? poll(listener);
    this.#listeners += 1;
    return () => {
      this.#listeners -= 1;
      stop();
    };
  }
}
