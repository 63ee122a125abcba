import type {
  Conflict,
  CorruptRecord,
  HistoryFull,
  IdempotencyMismatch,
  InvalidInput,
  InvalidTransition,
  NotFound,
  PageTooLarge,
  SessionError,
  StoreUnavailable,
} from '../errors.js';
import type { HandlerError } from '../http/handler-error.js';
import type { append, changes, remove } from '../operations/command-operations.js';
import type { watch } from '../operations/event-shapes.js';
import type { create, get, history, list } from '../operations/session-operations.js';
import type { CallerCommand } from '../session/session-status.js';

/** Whether a write was applied; `not_applied` for every read. */
export type Outcome = StoreUnavailable['outcome'];

/**
 * The service did not answer: the network failed, a timeout passed, or a gateway in front of the service rejected the
 * call.
 */
export interface Unreachable {
  readonly type: 'unreachable';
  readonly message: string;
  /** `gateway`: a 429, 502, 503 or 504 that does not come from the service. */
  readonly reason: 'network' | 'timeout' | 'gateway';
  /** With either outcome, the call is safe to repeat with the same idempotency key or operation id. */
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/**
 * The answer does not come from this service: a page of a proxy, a redirect, other JSON, or a body above
 * `maxResponseBytes`.
 */
export interface UnexpectedAnswer {
  readonly type: 'unexpected_answer';
  readonly message: string;
  /** The HTTP status; 0 if the browser hides it. */
  readonly status: number;
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/** The caller aborted the call. */
export interface Aborted {
  readonly type: 'aborted';
  readonly message: string;
  readonly outcome: Outcome;
}

/** The caller's `apiKey` function failed. Nothing was sent. */
export interface KeyUnavailable {
  readonly type: 'key_unavailable';
  readonly message: string;
  readonly cause?: unknown;
}

export type RefusalType = Exclude<HandlerError['type'], SessionError['type']>;

/** The service rejected the caller, the path or the body. `type` is the code of the handler's error. */
export interface Refused {
  readonly type: RefusalType;
  readonly message: string;
}

/** An error that any call may return. */
export type CallError = Unreachable | UnexpectedAnswer | Aborted | KeyUnavailable | Refused;

/** An error of the service, without the fields that are not sent over HTTP. */
export type RemoteError =
  | InvalidInput
  | NotFound
  | StoreUnavailable
  | Omit<InvalidTransition, 'status'>
  | Omit<HistoryFull, 'limit'>
  | Omit<IdempotencyMismatch, 'id'>
  | Omit<PageTooLarge, 'bytes' | 'limit'>
  | (Refused & { readonly type: 'too_many_streams' })
  | Omit<Conflict, 'id'>
  | (Omit<CorruptRecord, 'id'> & { readonly id?: string });

export type RemoteErrorOf<T extends string> = Extract<RemoteError, { readonly type: T }>;

type RemoteErrorIn<O extends { readonly errors: readonly string[] }> = RemoteErrorOf<O['errors'][number]> | CallError;

export type RemoteReadError = RemoteErrorIn<typeof get>;
export type RemoteListError = RemoteErrorIn<typeof list>;
export type RemoteHistoryError = RemoteErrorIn<typeof history>;
export type RemoteDeleteError = RemoteErrorIn<typeof remove>;
export type RemoteCreateError = RemoteErrorIn<typeof create>;
export type RemoteChangeError = RemoteErrorIn<(typeof changes)[CallerCommand]>;
export type RemoteAppendError = RemoteErrorIn<typeof append>;
export type RemoteWatchError = RemoteErrorIn<typeof watch>;

/** Every error of the client. `type` tells them apart. */
export type ClientError = RemoteError | CallError;

export const unreachable = (
  reason: Unreachable['reason'],
  message: string,
  outcome: Outcome,
  cause?: unknown,
): Unreachable => ({ type: 'unreachable', message, reason, outcome, ...(cause === undefined ? {} : { cause }) });

export const unexpectedAnswer = (
  message: string,
  status: number,
  outcome: Outcome,
  cause?: unknown,
): UnexpectedAnswer => ({
  type: 'unexpected_answer',
  message,
  status,
  outcome,
  ...(cause === undefined ? {} : { cause }),
});

export const aborted = (outcome: Outcome): Aborted => ({ type: 'aborted', message: 'the call was aborted', outcome });

export const keyUnavailable = (message: string, cause?: unknown): KeyUnavailable => ({
  type: 'key_unavailable',
  message,
  ...(cause === undefined ? {} : { cause }),
});
