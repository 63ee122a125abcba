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
  #calls = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(host: number, start: number) {
    this.name = `host ${host}`;
    this.host = host;
    this.start = start;
  }

  /** The name of its next call of the store. */
  nextCall(): string {
    for (const done of this.#waiting.splice(0)) done();
    this.#calls += 1;
    return `${this.host}.${this.start}.${this.#calls}`;
  }

  /** Resolves with the next call of the store. */
  called(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
