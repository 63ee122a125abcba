import { connect, type Socket } from 'node:net';

/**
 * A connection that sends given bytes, one by one if necessary, and keeps everything that it
 * receives.
 */
export class RawConnection {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #received = '';
  readonly #answers: string[] = [];
  /** Bytes after the last complete response. */
  #rest = '';
  #wake: () => void = () => undefined;

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.#socket = connect(Number(port), hostname);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => {
      this.#received += text;
      this.#rest += text;
      this.#wake();
    });
    // Some tests are about being cut off.
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

  /**
   * Sends the same text repeatedly until the server hangs up. Returns the number of bytes that it
   * accepted.
   */
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
      this.#takeWholeAnswers();
      if (this.#answers.length >= count || this.#socket.destroyed) return [...this.#answers];
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the server hangs up. */
  async closed(): Promise<void> {
    await this.#closed;
  }

  /** Disconnects without a reply. */
  destroy(): void {
    this.#socket.resetAndDestroy();
  }

  /** Takes the complete responses out of what arrived, except for interim ones. */
  #takeWholeAnswers(): void {
    for (let end = this.#rest.indexOf('\r\n\r\n'); end >= 0; end = this.#rest.indexOf('\r\n\r\n')) {
      const head = this.#rest.slice(0, end);
      const isInterim = / 1\d\d /.test(head.slice(0, 13));
      const length = isInterim ? 0 : Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const whole = this.#rest.slice(0, end + 4 + length);
      if (whole.length < end + 4 + length) return;
      if (!isInterim) this.#answers.push(whole);
      this.#rest = this.#rest.slice(whole.length);
    }
  }
}
