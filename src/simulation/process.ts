/** One start of a host, to its end or its death. */
export class Process {
  readonly name: string;
  /** Its answers and timers come only while it is. */
  isAlive = true;
  /** Until then it does nothing. */
  pausedUntil = 0;
  /** Milliseconds by which its clock differs. */
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
