import type { HandlerError } from '../http/handler-error.js';
import {
  append,
  changes,
  type extend,
  type redact,
  type remove,
  rewind,
  type update,
} from '../operations/command-operations.js';
import type { watch } from '../operations/event-shapes.js';
import { type AnyOperation, type OperationError, wireNamesOf } from '../operations/operation.js';
import { type Particulars, particulars } from '../operations/particulars.js';
import type {
  createWithId,
  get,
  getOrCreate,
  history,
  list,
} from '../operations/session-operations.js';
import { object, text } from '../operations/shape.js';
import type { cancel, claim, lease, release, renew, wake } from '../operations/work-operations.js';
import {
  type CallbackFailed,
  type Cancelled,
  type Conflict,
  type CorruptRecord,
  type HistoryFull,
  type HistoryMoved,
  type IdempotencyMismatch,
  type IdTaken,
  type InputIssue,
  type InvalidInput,
  type InvalidTransition,
  invalidInput,
  type Leased,
  type LeaseEnded,
  type LeaseLost,
  type Misconfigured,
  misconfigured,
  type NotFound,
  notFound,
  type OperationMismatch,
  type PageTooLarge,
  type SearchTooLarge,
  type SessionError,
  type StoreUnavailable,
  storeUnavailable,
  type TooManyActive,
} from '../session/errors.js';
import type { ClientRequest } from './client-request.js';

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

type RefusalType = Exclude<HandlerError['type'], SessionError['type']>;

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

/** An error of the service, without the fields that are not sent over HTTP. */
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
type RemoteErrorOf<T extends string> = Extract<RemoteError, { readonly type: T }>;

/** The errors of a request whose operation has the errors `C`. */
export type RequestError<C extends OperationError> = RemoteErrorOf<C> | CallError;

/** The operations over HTTP by the names of the client's methods. */
type RemoteOperations = typeof changes & {
  readonly create: typeof createWithId;
  readonly getOrCreate: typeof getOrCreate;
  readonly get: typeof get;
  readonly history: typeof history;
  readonly list: typeof list;
  readonly each: typeof list;
  readonly extend: typeof extend;
  readonly update: typeof update;
  readonly append: typeof append;
  readonly rewind: typeof rewind;
  readonly lease: typeof lease;
  readonly renew: typeof renew;
  readonly release: typeof release;
  readonly wake: typeof wake;
  readonly claim: typeof claim;
  readonly cancel: typeof cancel;
  readonly redact: typeof redact;
  readonly delete: typeof remove;
  readonly watch: typeof watch;
};

type ErrorsByName = {
  readonly [K in keyof RemoteOperations]: RequestError<RemoteOperations[K]['errors'][number]>;
};

/** The errors of each operation of the client: `RemoteErrors['append']` are those of `append`. */
export interface RemoteErrors extends ErrorsByName {
  readonly withLease: ErrorsByName['lease'] | LeaseEnded | CallbackFailed;
}

/** Every error of the client. Distinguish them by `type`. */
export type ClientError = RemoteError | CallError;

/** The issues with the names of the client's methods. */
const inClientNames = (
  operation: AnyOperation,
  message: string,
  issues: readonly InputIssue[] = [],
): InvalidInput => {
  if (issues.length === 0) return { type: 'invalid_input', message, issues };
  const names = new Map([...wireNamesOf(operation)].map(([name, wireName]) => [wireName, name]));
  return invalidInput(
    issues.map(({ path, message: rule }) => ({ path: names.get(path) ?? path, message: rule })),
  );
};

const commands = { ...changes, append, rewind };

const isCommand = (method = ''): method is keyof typeof commands => Object.hasOwn(commands, method);

/** The command that the status of the session does not allow. */
const commandOf = ({ calls }: AnyOperation): InvalidTransition['command'] =>
  isCommand(calls?.method) ? calls.method : 'lease';

const refusals = {
  unauthenticated: true,
  route_not_found: true,
  method_not_allowed: true,
  body_too_large: true,
  unsupported_media_type: true,
  authenticator_unavailable: true,
  too_many_streams: true,
} as const satisfies Record<RefusalType, true>;

const isRefusal = (code: string): code is RefusalType => Object.hasOwn(refusals, code);

/** The errors without data. */
const plainErrors = {
  ...refusals,
  lease_lost: true,
  operation_mismatch: true,
  conflict: true,
  idempotency_mismatch: true,
  too_many_active: true,
  page_too_large: true,
  search_too_large: true,
} as const;

const isPlain = (code: string): code is keyof typeof plainErrors =>
  Object.hasOwn(plainErrors, code);

/** The error for a code of the service, completed with data of the request. */
const remoteErrorOf = (
  code: string,
  message: string,
  { errors, position, holder, until, reason }: Particulars,
  { operation, id }: ClientRequest,
  outcome: Outcome,
): RemoteError | Refused | undefined => {
  switch (code) {
    case 'invalid_input':
      return inClientNames(operation, message, errors);
    case 'not_found':
      return notFound(id);
    case 'invalid_transition':
      return { type: code, message, command: commandOf(operation) };
    case 'history_full':
    case 'id_taken':
      return { type: code, message, id };
    case 'corrupt_record':
      return { type: code, message, ...(id && { id }) };
    case 'store_unavailable':
      return storeUnavailable(message, outcome);
    case 'misconfigured':
      return misconfigured(message);
    case 'history_moved':
      return position === undefined ? undefined : { type: code, message, id, position };
    case 'leased':
      return holder && until ? { type: code, message, holder, until } : undefined;
    case 'cancelled':
      return { type: code, message, ...(reason !== undefined && { reason }) };
    default:
      return isPlain(code) ? { type: code, message } : undefined;
  }
};

const problemShape = object({ code: text, detail: text });

/**
 * The error in a problem (RFC 9457) of the service; undefined if the body is not a problem, or not
 * one of this operation.
 */
export const errorInProblem = <C extends OperationError>(
  body: unknown,
  request: ClientRequest<C>,
  outcome: Outcome,
): RemoteErrorOf<C> | Refused | undefined => {
  const problem = problemShape.read(body);
  if (problem === undefined) return undefined;
  const { code, detail } = problem;
  const error = remoteErrorOf(code, detail, particulars.read(body) ?? {}, request, outcome);
  const isExpected = (one: RemoteError | Refused): one is RemoteErrorOf<C> | Refused =>
    isRefusal(one.type) || request.operation.errors.some((type) => type === one.type);
  if (error === undefined || !isExpected(error)) return undefined;
  return error;
};

export const unreachable = (
  reason: Unreachable['reason'],
  message: string,
  outcome: Outcome,
  cause?: unknown,
): Unreachable => ({
  type: 'unreachable',
  message,
  reason,
  outcome,
  ...(cause !== undefined && { cause }),
});
