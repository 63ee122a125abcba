import { connect, type Socket } from 'node:net';

/** A connection that sends given bytes, one by one if necessary, and keeps everything that it receives. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #received = '';
  #wake: () => void = () => undefined;

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.#socket = connect(Number(port), hostname);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => {
      this.#received += text;
      this.#wake();
    });
    // Being cut off is what some of the tests are about.
    this.#socket.on('error', () => undefined);
    this.#closed = new Promise((resolve) => {
      this.#socket.on('close', () => {
        this.#wake();
        resolve();
      });
    });
  }

  get received(): string {
    return this.#received;
  }

  write(data: string | Uint8Array): void {
    this.#socket.write(data);
  }

  /** Sends the same again and again until the server hangs up; answers how many bytes it has let in. */
  async pour(chunk: string): Promise<number> {
    const more = () => {
      while (!this.#socket.destroyed && this.#socket.write(chunk));
    };
    this.#socket.on('drain', more);
    more();
    await this.#closed;
    return this.#socket.bytesWritten;
  }

  /** Waits for a number of responses with a status of 200 or above, or for the end. */
  async answers(count = 1): Promise<readonly string[]> {
    for (;;) {
      const whole = wholeAnswers(this.#received);
      if (whole.length >= count || this.#socket.destroyed) return whole;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the server hangs up. */
  async closed(): Promise<void> {
    await this.#closed;
  }

  /** Goes away without a word. */
  destroy(): void {
    this.#socket.resetAndDestroy();
  }
}

/** The status lines of the complete answers in a stream of them, interim ones left out. */
const wholeAnswers = (received: string): string[] => {
  const answers: string[] = [];
  let rest = received;
  for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
    const head = rest.slice(0, end);
    const isInterim = / 1\d\d /.test(head.slice(0, 13));
    const length = isInterim ? 0 : Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (rest.length < end + 4 + length) break;
    if (!isInterim) answers.push(rest.slice(0, end + 4 + length));
    rest = rest.slice(end + 4 + length);
  }
  return answers;
};
