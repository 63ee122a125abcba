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

  /** Tells those who wait for its next call of the store. */
  tellCall(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Resolves with the next call of the store. */
  called(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
