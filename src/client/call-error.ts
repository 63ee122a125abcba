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

/** What may have become of a write; of a read it is always `not_applied`. */
export type Outcome = StoreUnavailable['outcome'];

/** No answer of the service: the network failed, the time was up, or what stands in front of it turned the call away. */
export interface Unreachable {
  readonly type: 'unreachable';
  readonly message: string;
  /** `gateway`: something answered 429, 502, 503 or 504 that is not the service. */
  readonly reason: 'network' | 'timeout' | 'gateway';
  /** Either is safe to send again with the same idempotency key or operation id. */
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/** An answer that is none of this service: a page of a proxy, a redirect, JSON of another kind, or far too much. */
export interface UnexpectedAnswer {
  readonly type: 'unexpected_answer';
  readonly message: string;
  /** Of HTTP; 0 where a browser does not tell it. */
  readonly status: number;
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/** The caller has aborted the call. */
export interface Aborted {
  readonly type: 'aborted';
  readonly message: string;
  readonly outcome: Outcome;
}

/** The caller's own source of API keys failed. Nothing was sent. */
export interface KeyUnavailable {
  readonly type: 'key_unavailable';
  readonly message: string;
  readonly cause?: unknown;
}

export type RefusalType = Exclude<HandlerError['type'], SessionError['type']>;

/** The service answers, but not this caller, this path or this body; by the name that its handler has for it. */
export interface Refused {
  readonly type: RefusalType;
  readonly message: string;
}

/** What may come of any call. */
export type CallError = Unreachable | UnexpectedAnswer | Aborted | KeyUnavailable | Refused;

/** An error of the service, without what the wire does not carry. */
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

/** Every error of the client, told apart by `type`. */
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
