import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { cancel } from '../session/read-stream.js';
import { type TaskLimits, unlessInterrupted } from './unless-interrupted.js';

export type StreamEnd = 'lost' | 'aborted' | 'too_large';

/** Reads the Server-Sent Events of one connection, on demand. */
export class EventStreamReader {
  readonly #limits: TaskLimits;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #waiting: EventSourceMessage[] = [];
  readonly #parser;
  #end: StreamEnd | undefined;
  #cause: unknown;
  /** The reconnect delay that the server has sent, in milliseconds. */
  retryMs: number | undefined;
  /** Whether the connection has received an event other than `unavailable`, or a heartbeat. */
  hasLived = false;

  /**
   * `limits` apply to each read: if no data arrives within the timeout, the connection counts as
   * lost. An event has at most `maxCharacters`.
   */
  constructor(stream: ReadableStream<Uint8Array>, limits: TaskLimits, maxCharacters: number) {
    this.#limits = limits;
    this.#reader = stream.getReader();
    this.#parser = createParser({
      maxBufferSize: maxCharacters,
      onEvent: (event) => {
        this.hasLived ||= event.event !== 'unavailable';
        this.#waiting.push(event);
      },
      onComment: () => {
        this.hasLived = true;
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#end = 'too_large';
      },
    });
  }

  /** What the connection failed with, if it is lost; for logs. */
  get cause(): unknown {
    return this.#cause;
  }

  async next(): Promise<EventSourceMessage | StreamEnd> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      if (this.#end !== undefined) return this.#end;
      this.#end = await this.#more();
    }
  }

  close(): void {
    cancel(this.#reader);
  }

  async #more(): Promise<StreamEnd | undefined> {
    try {
      const chunk = await unlessInterrupted(this.#limits, () => this.#reader.read());
      if (chunk.isErr()) return chunk.error === 'aborted' ? 'aborted' : 'lost';
      const { done, value } = chunk.value;
      if (done) return 'lost';
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
      return this.#end;
    } catch (cause) {
      this.#cause = cause;
      return 'lost';
    }
  }
}
