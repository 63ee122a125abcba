import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { bounded, type ClientTiming, late, left } from './client-timing.js';
import { letGo } from './read-body.js';

const LF = 10;
const CR = 13;
const COLON = 58;

/**
 * Counts the lines of the Server-Sent Event that is being received. An empty line ends an event; comments do not count.
 */
class LineCount {
  #count = 0;
  #first: number | undefined;
  #wasCr = false;

  /** Adds the next piece of the stream, cut anywhere. Returns the number of lines of the unfinished event. */
  add(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const isSecondHalf = code === LF && this.#wasCr;
      this.#wasCr = code === CR;
      if (isSecondHalf) continue;
      if (code === LF || code === CR) this.#endLine();
      else this.#first ??= code;
    }
    return this.#count;
  }

  #endLine(): void {
    if (this.#first === undefined) this.#count = 0;
    else if (this.#first !== COLON) this.#count += 1;
    this.#first = undefined;
  }
}

/** Limits of an event stream. */
export interface StreamBounds {
  readonly timing: ClientTiming;
  /** Milliseconds without data after which the connection counts as lost. */
  readonly silenceMs: number;
  /** Maximum number of characters of one event. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

/** Why the stream has ended. */
export type StreamEnd = 'lost' | 'left' | 'too_large';

/** Maximum number of lines of one event; the service writes three. Each line costs memory beyond its characters. */
const MAX_LINES = 1000;

/** Reads the Server-Sent Events of one connection, on demand. */
export class EventStreamReader {
  readonly #bounds: StreamBounds;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  readonly #lines = new LineCount();
  readonly #waiting: EventSourceMessage[] = [];
  readonly #parser;
  #end: StreamEnd | undefined;
  /** The reconnect delay that the server has sent, in milliseconds. */
  retryMs: number | undefined;
  /** Whether the connection has received an event other than `unavailable`, or a heartbeat. */
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
