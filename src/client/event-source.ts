import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { letGo } from './bounded-body.js';
import { LineCount } from './line-count.js';
import { bounded, type ClientTiming, late, left } from './timing.js';

/** How a stream of events is read. */
export interface StreamBounds {
  readonly timing: ClientTiming;
  /** Milliseconds without a sign of life after which the connection counts as lost. */
  readonly silenceMs: number;
  /** The largest event, in characters. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

/** Why there are no more events. */
export type StreamEnd = 'lost' | 'left' | 'too_large';

/** Lines of one event: the service writes three. Each costs memory beside its characters, even an empty one. */
const MAX_LINES = 1000;

/** Server-Sent Events of one connection, read no faster than they are asked for. */
export class EventSource {
  readonly #bounds: StreamBounds;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  readonly #lines = new LineCount();
  readonly #waiting: EventSourceMessage[] = [];
  readonly #parser;
  #end: StreamEnd | undefined;
  /** How long the server wants clients to wait before they come back. */
  retryMs: number | undefined;
  /** Whether there was more than the beginning and the end: a change, or a heartbeat. */
  hasLived = false;

  constructor(response: Response, bounds: StreamBounds) {
    this.#bounds = bounds;
    this.#reader = response.body?.getReader();
    this.#parser = createParser({
      maxBufferSize: bounds.maxCharacters,
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

  /** The next event, or why there is none. */
  async next(): Promise<EventSourceMessage | StreamEnd> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      if (this.#end !== undefined) return this.#end;
      this.#end = await this.#more();
    }
  }

  /** Closes the connection. */
  close(): void {
    if (this.#reader !== undefined) letGo(this.#reader);
  }

  async #more(): Promise<StreamEnd | undefined> {
    const { timing, silenceMs: ms, signal } = this.#bounds;
    const reader = this.#reader;
    if (reader === undefined) return 'lost';
    try {
      const chunk = await bounded({ timing, ms, signal }, () => reader.read());
      if (chunk === left) return 'left';
      if (chunk === late || chunk.done) return 'lost';
      const text = this.#decoder.decode(chunk.value, { stream: true });
      if (this.#lines.add(text) > MAX_LINES) return 'too_large';
      this.#parser.feed(text);
      return this.#end;
    } catch {
      return 'lost';
    }
  }
}
