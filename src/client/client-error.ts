import type * as commands from '../endpoints/command-endpoints.js';
import type { OperationError } from '../endpoints/endpoint.js';
import type { watch } from '../endpoints/event-shapes.js';
import type * as messages from '../endpoints/message-endpoints.js';
import type * as sessions from '../endpoints/session-endpoints.js';
import type * as work from '../endpoints/work-endpoints.js';
import type { HandlerError } from '../http/handler-error.js';
import type {
  CallbackFailed,
  Cancelled,
  Conflict,
  CorruptRecord,
  HistoryFull,
  HistoryMoved,
  IdempotencyMismatch,
  IdTaken,
  InboxFull,
  InvalidInput,
  InvalidTransition,
  Leased,
  LeaseEnded,
  LeaseLost,
  Misconfigured,
  NotAnswered,
  NotFound,
  OperationMismatch,
  PageTooLarge,
  SearchTooLarge,
  SessionError,
  StoreUnavailable,
  Superseded,
  TooManyActive,
  Withdrawn,
} from '../session/errors.js';

/** Whether a write was applied; `not_applied` for every read. */
export type Outcome = StoreUnavailable['outcome'];

/**
 * The service did not answer: the network failed, a timeout passed, or a gateway in front of the
 * service rejected the call.
 */
export interface Unreachable {
  readonly type: 'unreachable';
  /** For logs. */
  readonly message: string;
  /** `gateway`: a 429, 502, 503 or 504 that does not come from the service. */
  readonly reason: 'network' | 'timeout' | 'gateway';
  /**
   * With either outcome, the call is safe to repeat with the same idempotency key or operation id.
   */
  readonly outcome: Outcome;
  /** The error of `fetch`; for logs. */
  readonly cause?: unknown;
}

/**
 * The answer does not come from this service: a page of a proxy, a redirect, other JSON, or a body
 * above `maxResponseBytes`.
 */
export interface UnexpectedAnswer {
  readonly type: 'unexpected_answer';
  /** For logs. */
  readonly message: string;
  /** The HTTP status; 0 if the browser hides it. */
  readonly status: number;
  /** Outcome of the write; `not_applied` for a read. */
  readonly outcome: Outcome;
  /** The error of reading the answer; for logs. */
  readonly cause?: unknown;
}

/** The caller aborted the call. */
export interface Aborted {
  readonly type: 'aborted';
  /** For logs. */
  readonly message: string;
  /** Outcome of the write; `not_applied` for a read. */
  readonly outcome: Outcome;
}

/**
 * The caller's `apiKey` function failed. This attempt sent nothing; an earlier attempt of the same
 * call may have.
 */
export interface KeyUnavailable {
  readonly type: 'key_unavailable';
  /** For logs. */
  readonly message: string;
  /** Outcome of the write; `not_applied` for a read. */
  readonly outcome: Outcome;
  /** The exception of the function, or the reason of its rejection; for logs. */
  readonly cause?: unknown;
}

export type RefusalType = Exclude<HandlerError['type'], SessionError['type']>;

/**
 * The service rejected the caller, the path or the body. `type` is the code of the handler's error.
 */
export interface Refused {
  /** Distinguishes the errors; the `code` of the response. */
  readonly type: RefusalType;
  /** The detail of the response. */
  readonly message: string;
}

/** An error that any call may return. */
export type CallError = Unreachable | UnexpectedAnswer | Aborted | KeyUnavailable | Refused;

/** An error of the service, without the fields that HTTP does not send. */
export type RemoteError =
  | InvalidInput
  | NotFound
  | StoreUnavailable
  | Misconfigured
  | Omit<InvalidTransition, 'status'>
  | Omit<LeaseLost, 'fencingToken'>
  | Omit<Cancelled, 'fencingToken'>
  | Leased
  | Omit<HistoryFull, 'limit'>
  | HistoryMoved
  | Omit<InboxFull, 'limit'>
  | Omit<NotAnswered | Withdrawn | Superseded, 'messageId'>
  | Omit<TooManyActive, 'id' | 'limit'>
  | Omit<OperationMismatch, 'id'>
  | Omit<IdempotencyMismatch, 'id'>
  | IdTaken
  | Omit<PageTooLarge, 'bytes' | 'limit'>
  | Omit<SearchTooLarge, 'limit'>
  | (Refused & { readonly type: 'too_many_streams' })
  | Omit<Conflict, 'id'>
  | (Omit<CorruptRecord, 'id'> & { readonly id?: string });

/** The errors with one of these types. */
export type RemoteErrorOf<T extends string> = Extract<RemoteError, { readonly type: T }>;

/** The errors of a request whose operation has the errors `C`. */
export type RequestError<C extends OperationError> = RemoteErrorOf<C> | CallError;

type RemoteOperations = typeof commands.changes &
  Pick<typeof commands, 'extend' | 'update' | 'spend' | 'append' | 'rewind' | 'redact'> &
  Pick<typeof messages, 'send' | 'inbox' | 'answer' | 'withdraw'> &
  Pick<typeof sessions, 'getOrCreate' | 'get' | 'history' | 'list'> &
  Pick<typeof work, 'lease' | 'renew' | 'release' | 'take' | 'wake'> &
  Pick<typeof work, 'claim' | 'countWaiting' | 'cancel'> & {
    readonly create: typeof sessions.createWithId;
    readonly each: typeof sessions.list;
    readonly delete: typeof commands.remove;
    readonly watch: typeof watch;
  };

type ErrorsByName = {
  readonly [K in keyof RemoteOperations]: RequestError<RemoteOperations[K]['errors'][number]>;
};

/** The errors of each operation of the client: `RemoteErrors['append']` for `append`. */
export interface RemoteErrors extends ErrorsByName {
  readonly withLease: ErrorsByName['lease'] | LeaseEnded | CallbackFailed;
}

/** Every error of the client. Distinguish them by `type`. */
export type ClientError = RemoteError | CallError;
