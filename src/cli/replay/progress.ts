const WIDTH = 24;
const EVERY_MS = 100;

/** A line on a terminal that says how far the work is; nothing where nobody watches. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  #drawnAt = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** `total` is left out while nobody knows it. */
  show(what: string, done: number, total?: number): void {
    const now = performance.now();
    if (!this.#stream.isTTY || now - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = now;
    this.#stream.write(`\r\u001b[K${what} ${total === undefined ? '' : `${bar(done / total)} `}${done}`);
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\u001b[K');
  }
}

const bar = (share: number): string => {
  const full = Math.round(share * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
};
