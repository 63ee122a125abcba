import type { InputIssue, SessionError } from '../errors.js';

/** There is no API key, or not one that anybody has. */
export interface Unauthenticated {
  readonly type: 'unauthenticated';
}

/** The path is an operation's, the method is not. */
export interface MethodNotAllowed {
  readonly type: 'method_not_allowed';
  /** The methods that the path knows, as the `Allow` header writes them. */
  readonly allow: string;
}

/** The path is none of ours; said only by a mount behind which nobody else answers. */
export interface RouteNotFound {
  readonly type: 'route_not_found';
}

/** The body is not said to be JSON in UTF-8, uncompressed. */
export interface UnsupportedMediaType {
  readonly type: 'unsupported_media_type';
}

/** The body is larger than the host allows. */
export interface BodyTooLarge {
  readonly type: 'body_too_large';
}

/** The host's authenticator failed or took too long, so that nobody can be let in. */
export interface AuthenticatorUnavailable {
  readonly type: 'authenticator_unavailable';
  /** What it threw, if it did; for logs, never for strangers. */
  readonly cause?: unknown;
}

/** As many streams of events are open as the host allows, in all or for the tenant. */
export interface TooManyStreams {
  readonly type: 'too_many_streams';
}

/** The host has set something up in a way that cannot work. The client has done nothing wrong. */
export interface Misconfigured {
  readonly type: 'misconfigured';
  readonly issues: readonly InputIssue[];
}

/** Every error that the handler answers with, told apart by `type`: the `code` of the answer. */
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
