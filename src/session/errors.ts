import type {
  HistoryFull,
  HistoryMoved,
  InboxFull,
  NotAnswered,
  Superseded,
  Withdrawn,
} from './conversation-errors.js';
import type {
  IdempotencyMismatch,
  IdTaken,
  InvalidInput,
  OperationMismatch,
} from './input-errors.js';
import type {
  Conflict,
  NotFound,
  PageTooLarge,
  SearchTooLarge,
  TooManyActive,
} from './session-errors.js';
import type { InvalidTransition } from './session-status.js';
import type { CorruptRecord, Misconfigured, StoreUnavailable } from './store-errors.js';
import type { CallbackFailed, Leased, LeaseEnded, RunTimeout } from './work-errors.js';

export {
  type HistoryFull,
  type HistoryMoved,
  historyCut,
  historyFull,
  historyMoved,
  type InboxFull,
  inboxFull,
  type NotAnswered,
  notAnswered,
  type Superseded,
  superseded,
  type Withdrawn,
  withdrawn,
} from './conversation-errors.js';
export {
  type IdempotencyMismatch,
  type IdTaken,
  type InputIssue,
  type InvalidInput,
  idempotencyMismatch,
  idTaken,
  invalidField,
  invalidInput,
  type OperationMismatch,
  operationMismatch,
  withPaths,
} from './input-errors.js';
export {
  type Conflict,
  conflict,
  type NotFound,
  notFound,
  type PageTooLarge,
  pageTooLarge,
  revisionMoved,
  type SearchTooLarge,
  searchTooLarge,
  type TooLarge,
  type TooManyActive,
  tooLarge,
  tooManyActive,
} from './session-errors.js';
export { type InvalidTransition, invalidTransition } from './session-status.js';
export {
  type CorruptRecord,
  corruptRecord,
  type ListenerFailed,
  listenerFailed,
  type Misconfigured,
  misconfigured,
  type StoreError,
  type StoreUnavailable,
  type SweepFailure,
  storeUnavailable,
} from './store-errors.js';
export {
  type CallbackFailed,
  type Cancelled,
  callbackFailed,
  cancelled,
  type Leased,
  type LeaseEnded,
  type LeaseLost,
  leased,
  leaseLost,
  type RunTimeout,
  runTimeout,
  type WorkFailed,
  workFailed,
} from './work-errors.js';

/** Every error of an operation. Distinguish them by `type`, not by `instanceof`. */
export type SessionError =
  | InvalidInput
  | NotFound
  | InvalidTransition
  | IdempotencyMismatch
  | IdTaken
  | OperationMismatch
  | Conflict
  | Leased
  | LeaseEnded
  | HistoryFull
  | HistoryMoved
  | InboxFull
  | NotAnswered
  | Withdrawn
  | Superseded
  | TooManyActive
  | PageTooLarge
  | SearchTooLarge
  | StoreUnavailable
  | CorruptRecord
  | Misconfigured;

/** Every error of an operation, and of the function that was given to it. */
export type OperationError = SessionError | CallbackFailed | RunTimeout;
