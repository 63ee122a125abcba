import type { Clock } from '../session/clock.js';
import { inLaterTurn } from '../session/in-later-turn.js';
import { chanceOf } from './chance-of.js';
import { type LineType, Trace } from './trace.js';

/** The simulated time at which every run begins. */
const START = Date.UTC(2026, 0, 1, 12);

/** Maximum real milliseconds to wait for an answer from outside the simulation. */
const PATIENCE_MS = 30_000;

interface Action {
  at: number;
  readonly turn: number;
  readonly process: Process | undefined;
  readonly run: () => unknown;
}

/** Resolves after the continuations of all resolved promises have run. */
const settled = (): Promise<void> => new Promise(inLaterTurn);

/** The simulated time of a run and its scheduled actions, in the order that the seed determines. */
export class World {
  readonly #seed: number;
  readonly #actions = new Set<Action>();
  readonly #trace = new Trace();
  readonly #orders = new Map<unknown, number>();
  #now = START;
  #turns = 0;
  #outside = 0;
  #answered = (): void => {};

  constructor(seed: number) {
    this.#seed = seed;
  }

  get now(): number {
    return this.#now;
  }

  get trace(): readonly string[] {
    return this.#trace.lines;
  }

  chance(name: string): number {
    return chanceOf(this.#seed, name);
  }

  tell(who: string, what: string, type: LineType = 'step'): void {
    this.#trace.add({
      type,
      seconds: (this.#now - START) / 1000,
      text: `${who.padEnd(6)}  ${what}`,
    });
  }

  /** The number of a value in order of appearance, from 1; the same value has the same number. */
  orderOf(value: unknown): number {
    const order = this.#orders.get(value) ?? this.#orders.size + 1;
    this.#orders.set(value, order);
    return order;
  }

  /** The clock of a process, or the correct clock. */
  clockOf(process?: Process): Required<Clock> {
    return {
      now: () => Math.floor(this.#now + (process?.skew ?? 0)),
      after: (ms, done) => this.schedule(process, Math.max(0, ms), done),
    };
  }

  /**
   * Runs an action later, unless its process is dead by then or the returned function has cancelled
   * it.
   */
  schedule(process: Process | undefined, ms: number, run: () => unknown): () => void {
    this.#turns += 1;
    const action = { at: this.#now + ms, turn: this.#turns, process, run };
    this.#actions.add(action);
    return () => this.#actions.delete(action);
  }

  /** Stops the simulated time until an answer from outside arrives, for example from a database. */
  async outside<T>(answer: PromiseLike<T> | T): Promise<T> {
    this.#outside += 1;
    try {
      return await answer;
    } finally {
      this.#outside -= 1;
      this.#answered();
    }
  }

  /** Runs the next action up to a time. Returns false if there is none. */
  step(until: number): boolean {
    const next = this.#next();
    if (next === undefined || next.at > until) return false;
    this.#actions.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    return true;
  }

  /** Resolves when there is no work left before the next action. */
  async settle(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    await settled();
    while (this.#outside > 0 && performance.now() < deadline) {
      await this.#nextAnswer();
      await settled();
    }
    if (this.#outside > 0)
      throw new Error(`the store has not answered for ${PATIENCE_MS / 1000} seconds`);
  }

  /** Leaves the processor to the database until it has answered. */
  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      const patience = setTimeout(resolve, PATIENCE_MS);
      this.#answered = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }

  /** The earliest action whose process is alive and not suspended at that time. */
  #next(): Action | undefined {
    let next: Action | undefined;
    for (const action of this.#actions) {
      const { process } = action;
      if (process?.isAlive === false) {
        this.#actions.delete(action);
        continue;
      }
      if (process !== undefined) action.at = Math.max(action.at, process.pausedUntil);
      if (
        next === undefined ||
        action.at < next.at ||
        (action.at === next.at && action.turn < next.turn)
      )
        next = action;
    }
    return next;
  }
}

/** A process of a host, from its start to its end or crash. */
export class Process {
  readonly name: string;
  /** Answers and timers arrive only while this is true. */
  isAlive = true;
  /** The simulated time until which the process is suspended. */
  pausedUntil = 0;
  /** The difference of its clock, in milliseconds. */
  skew = 0;
  readonly host: number;
  /** 1 for the first process of the host. */
  readonly start: number;
  readonly #waiting: (() => void)[] = [];

  constructor(host: number, start: number) {
    this.name = `host ${host}`;
    this.host = host;
    this.start = start;
  }

  /** Resolves the promises of `called`. */
  tellCall(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Resolves with the next call of the store. */
  called(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
