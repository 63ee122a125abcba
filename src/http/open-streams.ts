import type { WatchSignal } from '../session/session-event.js';

/** The event streams of a handler, which end when the host's signal is aborted. */
export class OpenStreams {
  readonly #ends = new Set<() => void>();
  readonly #signal: WatchSignal | undefined;

  /** One listener for all streams: Node warns of more than ten on a signal. */
  constructor(signal: WatchSignal | undefined) {
    this.#signal = signal;
    const endAll = () => {
      for (const end of this.#ends) end();
    };
    signal?.addEventListener('abort', endAll);
  }

  add(end: () => void): void {
    this.#ends.add(end);
    if (this.#signal?.aborted === true) end();
  }

  remove(end: () => void): void {
    this.#ends.delete(end);
  }
}
