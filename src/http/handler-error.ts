import type { InputIssue, SessionError } from '../errors.js';

/** The API key is missing or wrong. */
export interface Unauthenticated {
  readonly type: 'unauthenticated';
}

/** The path exists, but not with this method. */
export interface MethodNotAllowed {
  readonly type: 'method_not_allowed';
  /** The methods of the path, in the form of the `Allow` header. */
  readonly allow: string;
}

/** The path is unknown. Only mounts without a next handler answer with it. */
export interface RouteNotFound {
  readonly type: 'route_not_found';
}

/** The `Content-Type` is not JSON in UTF-8, or the body is compressed. */
export interface UnsupportedMediaType {
  readonly type: 'unsupported_media_type';
}

/** The body is larger than `maxBodyBytes`. */
export interface BodyTooLarge {
  readonly type: 'body_too_large';
}

/** The host's authenticator failed or timed out. */
export interface AuthenticatorUnavailable {
  readonly type: 'authenticator_unavailable';
  /** The error of the authenticator, if it threw one; for logs only. */
  readonly cause?: unknown;
}

/** The maximum number of open streams is reached, in total or for the tenant. */
export interface TooManyStreams {
  readonly type: 'too_many_streams';
}

/** The host's setup is wrong. The request is not the cause. */
export interface Misconfigured {
  readonly type: 'misconfigured';
  readonly issues: readonly InputIssue[];
}

/** Every error that the handler answers with. `type` is the `code` of the response. */
export type HandlerError =
  | SessionError
  | Unauthenticated
  | MethodNotAllowed
  | RouteNotFound
  | UnsupportedMediaType
  | BodyTooLarge
  | AuthenticatorUnavailable
  | TooManyStreams
  | Misconfigured;

export const misconfigured = (issues: readonly InputIssue[]): Misconfigured => ({ type: 'misconfigured', issues });
