import type { Clock } from '../session/clock.js';
import { chanceOf } from './chance-of.js';
import type { Process } from './process.js';

/** When every run begins. */
const START = Date.UTC(2026, 0, 1, 12);

/** Real milliseconds for which a run waits for an answer from outside. */
const PATIENCE_MS = 30_000;

/** Lines of the trace after the last change. */
const ANSWERS = 4;

interface Action {
  at: number;
  readonly turn: number;
  readonly process: Process | undefined;
  readonly run: () => unknown;
}

/** The quickest way to let other work run, in Node, Bun and Deno; timers of other runtimes take longer. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate');

/** Resolves when all that was resolved has gone on. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof immediate === 'function') immediate(resolve);
    else setTimeout(resolve, 0);
  });

/** The time of a run and all that is to come: one action after another, in the order that the seed gives. */
export class World {
  readonly #seed: number;
  readonly #actions = new Set<Action>();
  readonly #trace: string[] = [];
  readonly #orders = new Map<unknown, number>();
  #lastChange = 0;
  #now = START;
  #turns = 0;
  #outside = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get now(): number {
    return this.#now;
  }

  /** What has happened, a line each, up to the last change and what was answered to it. */
  get trace(): readonly string[] {
    return this.#trace.slice(0, this.#lastChange + ANSWERS);
  }

  /** A number from 0 up to 1 for a name. */
  chance(name: string): number {
    return chanceOf(this.#seed, name);
  }

  tell(who: string, what: string): void {
    this.#trace.push(`${((this.#now - START) / 1000).toFixed(3).padStart(8)} s  ${who.padEnd(6)}  ${what}`);
  }

  /** 1 for the first value, 2 for the next one, and the same again for the same. */
  orderOf(value: unknown): number {
    const order = this.#orders.get(value) ?? this.#orders.size + 1;
    this.#orders.set(value, order);
    return order;
  }

  /** A line that is no question and no answer. */
  tellChange(who: string, what: string): void {
    this.tell(who, what);
    this.#lastChange = this.#trace.length;
  }

  /** The clock of a process, or the right one. */
  clockOf(process?: Process): Required<Clock> {
    return {
      now: () => Math.floor(this.#now + (process?.skew ?? 0)),
      after: (ms, done) => this.schedule(process, Math.max(0, ms), done),
    };
  }

  /** Runs an action later, unless its process is dead by then or the action is taken back. */
  schedule(process: Process | undefined, ms: number, run: () => unknown): () => void {
    this.#turns += 1;
    const action = { at: this.#now + ms, turn: this.#turns, process, run };
    this.#actions.add(action);
    return () => this.#actions.delete(action);
  }

  /** Time stands still until an answer from outside is there, such as that of a database. */
  async outside<T>(answer: PromiseLike<T> | T): Promise<T> {
    this.#outside += 1;
    try {
      return await answer;
    } finally {
      this.#outside -= 1;
    }
  }

  /** Does the next action up to a time. False if there is none. */
  step(until: number): boolean {
    const next = this.#next();
    if (next === undefined || next.at > until) return false;
    this.#actions.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    return true;
  }

  /** Resolves when no work is left to do before the next action. */
  async settle(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    do await settled();
    while (this.#outside > 0 && performance.now() < deadline);
    if (this.#outside > 0) throw new Error(`the store has not answered for ${PATIENCE_MS / 1000} seconds`);
  }

  /** The earliest action of a process that can act then. */
  #next(): Action | undefined {
    let next: Action | undefined;
    for (const action of this.#actions) {
      const { process } = action;
      if (process?.isAlive === false) {
        this.#actions.delete(action);
        continue;
      }
      if (process !== undefined) action.at = Math.max(action.at, process.pausedUntil);
      if (next === undefined || action.at < next.at || (action.at === next.at && action.turn < next.turn))
        next = action;
    }
    return next;
  }
}
