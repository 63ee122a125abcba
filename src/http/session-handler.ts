import type { WatchSignal } from '../session/session-event.js';

/**
 * Requests and responses are plain objects, because creating a Fetch `Request` and `Response` costs
 * more than all the work of the handler. A mount translates them.
 */

/** The result of reading a request body. */
export type BodyReading =
  | { readonly outcome: 'read'; readonly bytes: Uint8Array }
  /** A body parser has already read the body. A string or bytes are still JSON text. */
  | { readonly outcome: 'parsed'; readonly value: unknown }
  /** The body is larger than allowed. The rest was not read. */
  | { readonly outcome: 'too_large' }
  /** The client has disconnected before the body was complete. */
  | { readonly outcome: 'aborted' }
  /** Other code has already read the body and did not keep it. */
  | { readonly outcome: 'lost' };

/** A request, as a mount passes it to the handler. */
export interface HandlerRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as received, undecoded, without the prefix. */
  readonly url: string;
  /**
   * The part of the path that the mount has removed, for example `/api`. `Location` and `Link`
   * contain it.
   */
  readonly prefix: string;
  /** The value of a header, by its name in lower case. Repeated headers are joined with `, `. */
  header(name: string): string | undefined;
  /** Reads the body once, and at most `maxBytes` of it. Must not reject. */
  body(maxBytes: number): Promise<BodyReading>;
  /**
   * Calls the listener once, when the response has been sent or the connection is lost. A mount
   * that cannot detect this omits the method.
   */
  onClose?(listener: () => void): void;
}

interface ResponseHead {
  /** The HTTP status. */
  readonly status: number;
  /** Headers by their names, in the case in which they are sent. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A complete response. Without a body it is a 204, or the response to a HEAD. The headers may
 * contain `Content-Length`: code that changes the body must update or remove it.
 */
interface WholeResponse extends ResponseHead {
  /** The text of the body, for example JSON. */
  readonly body?: string;
  readonly stream?: never;
  readonly cutOff?: never;
}

/**
 * A streamed response. A mount requests the next piece when the previous one is being sent, and
 * calls `return` of the iterator when the client disconnects. The iterator never throws.
 */
interface StreamedResponse extends ResponseHead {
  readonly body?: never;
  /** UTF-8. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** Aborted when the client has not read for too long. The mount then closes the connection. */
  readonly cutOff?: WatchSignal;
}

/** The answer to a request: complete, or streamed. */
export type HandlerResponse = WholeResponse | StreamedResponse;

/**
 * Answers the operations of its routes. Returns `undefined` for any other path, so that the next
 * handler can answer. Never throws or rejects.
 */
export type SessionHandler = (request: HandlerRequest) => Promise<HandlerResponse | undefined>;

/** A request without its body, for an authenticator. `header('cookie')` returns its cookies. */
export type AuthenticationRequest = Pick<HandlerRequest, 'method' | 'url' | 'prefix' | 'header'>;

/**
 * Returns the tenant whose sessions a request may access, or undefined to deny access. `key` is the
 * value of `X-API-KEY`. Without the header it is empty, and never `undefined`, because some
 * database libraries read `undefined` as "no condition". To use a cookie or a bearer token, read
 * it from `request`.
 *
 * @example
 * ```ts
 * const tenants = new Map([['Bearer token-1', 'acme']]); // or check a signed token
 * const authenticate: Authenticate = (_key, request) =>
 *   tenants.get(request.header('authorization') ?? '');
 * const handler = createSessionHandler({ sessions, authenticate });
 * ```
 */
export type Authenticate = (
  key: string,
  request: AuthenticationRequest,
) => string | undefined | PromiseLike<string | undefined>;

/** A request that was answered with 401, without its key and query. */
export interface DeniedRequest {
  /** The method, for example `GET`. */
  readonly method: string;
  /** With the mount's prefix, without the query; at most 256 characters. */
  readonly path: string;
  /**
   * `missing`: the request had neither `X-API-KEY` nor `Authorization`. `wrong`: it had one, but no
   * access.
   */
  readonly reason: 'missing' | 'wrong';
}
