/** What ends at a time, by `performance.now()`; `Infinity` for never. */
interface Ending {
  readonly due: number;
}

/** Ends calls at their times. All share one timer, because most calls have an outcome before. */
export class Deadlines<C extends Ending> {
  readonly #calls = new Set<C>();
  readonly #end: (call: C) => void;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(end: (call: C) => void) {
    this.#end = end;
  }

  has(call: C): boolean {
    return this.#calls.has(call);
  }

  add(call: C): void {
    this.#calls.add(call);
    if (call.due < this.#wakesAt) this.#wakeAt(call.due);
  }

  delete(call: C): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    const wake = (): void => this.#endAll(performance.now());
    if (at < Number.POSITIVE_INFINITY) this.#timer = setTimeout(wake, at - performance.now());
  }

  #endAll(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const call of this.#calls) {
      if (call.due <= now) this.#end(call);
      else next = Math.min(next, call.due);
    }
    this.#wakeAt(next);
  }
}
