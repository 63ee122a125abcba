import type { WatchSignal } from '../events/session-event.js';
/**
 * What the handler reads of a request and what it answers: plain objects, because making a Fetch `Request` and
 * `Response` a call costs more than all the handler does. A mount translates.
 */

/** What became of reading a request's body. */
export type BodyReading =
  | { readonly outcome: 'read'; readonly bytes: Uint8Array }
  /** Something before the handler has read and parsed it; a string or bytes here are still JSON text. */
  | { readonly outcome: 'parsed'; readonly value: unknown }
  /** More than was allowed. The rest has not been read. */
  | { readonly outcome: 'too_large' }
  /** The client went away before the body was complete. */
  | { readonly outcome: 'aborted' }
  /** Something before the handler has read it and left nothing. */
  | { readonly outcome: 'lost' };

/** A request, as a mount shows it to the handler. */
export interface HandlerRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as they came, undecoded, without the prefix. */
  readonly url: string;
  /** The part of the path that the mount has taken off, such as `/api`; `Location` and `Link` put it back. */
  readonly prefix: string;
  /** The value of a header, by its name in lower case; repeated ones are joined with `, `. */
  header(name: string): string | undefined;
  /** Reads the body, at most once, and never more than `maxBytes` of it. Must not reject. */
  body(maxBytes: number): Promise<BodyReading>;
  /**
   * Calls the listener once, when the response has been sent or the connection is lost. A mount that cannot tell leaves
   * this out.
   */
  onClose?(listener: () => void): void;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An answer. Without a body it is a 204, which has no length, or the answer to a HEAD, whose headers already tell it.
 * With a body they may: who changes the body changes `Content-Length` too, or takes it out.
 */
interface WholeResponse extends ResponseHead {
  readonly body?: string;
  readonly stream?: never;
  readonly cutOff?: never;
}

/**
 * An answer that comes bit by bit, for as long as it takes. A mount asks for the next piece once the last one is on its
 * way, and calls `return` of the iterator when the client has gone. The iterator never throws.
 */
interface StreamedResponse extends ResponseHead {
  readonly body?: never;
  /** In UTF-8. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** Aborted when the client has taken nothing for too long: the mount then closes the connection. */
  readonly cutOff?: WatchSignal;
}

export type HandlerResponse = WholeResponse | StreamedResponse;

/**
 * Answers the three operations, and the commands and the events where the host has switched them on. `undefined` means
 * that the path is none of them, and is somebody else's to answer. Never throws or rejects.
 */
export type SessionHandler = (request: HandlerRequest) => Promise<HandlerResponse | undefined>;
