import { type IncomingMessage, request } from 'node:http';

/** One event, as an EventSource would hand it out. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

const fieldOf = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** Reads a stream of Server-Sent Events, and keeps all that came. */
export class EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly #answer: IncomingMessage;
  readonly #look: (frame: Frame) => void;
  #text = '';
  #taken = 0;
  #isOver = false;
  #wake: () => void = () => undefined;

  static open(
    origin: string,
    path: string,
    headers: Readonly<Record<string, string | string[]>>,
    look: (frame: Frame) => void = () => undefined,
  ): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const call = request({ hostname, port, path, headers, agent: false }, (answer) =>
        resolve(new EventReader(answer, look)),
      );
      call.on('error', reject);
      call.end();
    });
  }

  private constructor(answer: IncomingMessage, look: (frame: Frame) => void) {
    this.#look = look;
    this.#answer = answer;
    this.status = answer.statusCode ?? 0;
    this.headers = answer.headers;
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    // Some tests are about hanging up in the middle of a response.
    answer.on('error', () => undefined);
    answer.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  get text(): string {
    return this.#text;
  }

  /** The next block of lines, or nothing at the end. */
  async block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n', this.#taken);
      if (end >= 0) {
        const block = this.#text.slice(this.#taken, end);
        this.#taken = end + 2;
        return block;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next event. Other lines are skipped. */
  async next(): Promise<Frame | undefined> {
    for (let block = await this.block(); block !== undefined; block = await this.block()) {
      const data = fieldOf(block, 'data');
      if (data === undefined) continue;
      const frame: Frame = {
        id: fieldOf(block, 'id'),
        event: fieldOf(block, 'event'),
        data: JSON.parse(data),
      };
      this.#look(frame);
      return frame;
    }
    return undefined;
  }

  async rest(): Promise<readonly Frame[]> {
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== undefined; frame = await this.next())
      frames.push(frame);
    return frames;
  }

  /** Whether the server has finished the answer. A connection that it cuts ends without that. */
  get isComplete(): boolean {
    return this.#answer.complete;
  }

  close(): void {
    this.#answer.destroy();
  }
}
