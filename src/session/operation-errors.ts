import type {
  CallbackFailed,
  Conflict,
  HistoryFull,
  HistoryMoved,
  IdempotencyMismatch,
  IdTaken,
  InboxFull,
  InvalidInput,
  InvalidTransition,
  Leased,
  LeaseEnded,
  Misconfigured,
  NotAnswered,
  NotFound,
  OperationMismatch,
  PageTooLarge,
  RunTimeout,
  SearchTooLarge,
  StoreError,
  Superseded,
  TooManyActive,
  Withdrawn,
} from './errors.js';

/**
 * The errors of each operation: `OperationErrors['append']` are those of `append`. `sweep` has an
 * error only if nothing could be swept.
 */
export interface OperationErrors {
  readonly create:
    | InvalidInput
    | NotFound
    | HistoryFull
    | TooManyActive
    | IdempotencyMismatch
    | IdTaken
    | Conflict
    | StoreError;
  readonly getOrCreate:
    | Exclude<OperationErrors['create'], IdempotencyMismatch | IdTaken>
    | PageTooLarge;
  readonly get: InvalidInput | NotFound | PageTooLarge | StoreError;
  readonly history: InvalidInput | NotFound | StoreError;
  readonly list: InvalidInput | PageTooLarge | SearchTooLarge | StoreError;
  readonly each: OperationErrors['list'];
  readonly start: OperationErrors['pause'] | TooManyActive;
  readonly pause:
    | InvalidInput
    | NotFound
    | InvalidTransition
    | LeaseEnded
    | OperationMismatch
    | Conflict
    | StoreError;
  readonly resume: OperationErrors['pause'];
  readonly extend: OperationErrors['pause'];
  readonly terminate: OperationErrors['pause'];
  readonly fail: OperationErrors['pause'];
  readonly update: Exclude<OperationErrors['pause'], InvalidTransition>;
  readonly spend: Exclude<OperationErrors['pause'], Conflict>;
  readonly append: OperationErrors['spend'] | HistoryFull | HistoryMoved;
  readonly rewind: OperationErrors['append'] | Conflict | InboxFull;
  readonly send: OperationErrors['getOrCreate'] | InvalidTransition | OperationMismatch | InboxFull;
  readonly inbox: InvalidInput | NotFound | StoreError;
  readonly withdraw: OperationErrors['inbox'] | Conflict;
  readonly take: OperationErrors['renew'] | HistoryFull;
  readonly answer:
    | OperationErrors['inbox']
    | PageTooLarge
    | Misconfigured
    | NotAnswered
    | Withdrawn
    | Superseded;
  readonly reply:
    | OperationErrors['send']
    | OperationErrors['take']
    | OperationErrors['answer']
    | Leased
    | CallbackFailed
    | RunTimeout;
  readonly lease: InvalidInput | NotFound | InvalidTransition | Leased | Conflict | StoreError;
  readonly renew: InvalidInput | NotFound | InvalidTransition | LeaseEnded | Conflict | StoreError;
  readonly release: OperationErrors['take'];
  readonly withLease: OperationErrors['lease'] | LeaseEnded | CallbackFailed;
  readonly wake: Exclude<OperationErrors['renew'], LeaseEnded>;
  readonly claim: InvalidInput | StoreError;
  readonly claimAny: OperationErrors['claim'];
  readonly countWaiting: OperationErrors['claim'];
  readonly countWaitingAny: OperationErrors['claim'];
  readonly cancel: OperationErrors['wake'];
  readonly redact: OperationErrors['history'];
  readonly delete: InvalidInput | Conflict | StoreError;
  readonly watch: OperationErrors['history'];
  readonly watchAll: OperationErrors['history'];
  readonly sweep: InvalidInput | StoreError;
}
