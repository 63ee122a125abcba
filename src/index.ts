export { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
export type { HostSchema, HostSchemas } from './input/host-schemas.js';
export type { InputPolicy } from './input/input-policy.js';
export type { AppendOptions } from './service/append-history.js';
export type { OperationOptions } from './service/apply-command.js';
export type { CancelOptions } from './service/cancel-work.js';
export type { ClaimInput } from './service/claim-sessions.js';
export type { CreateSessionInput, ForkInput } from './service/create-session.js';
export type { ExtendInput } from './service/extend-session.js';
export type { GetOrCreateInput } from './service/get-or-create.js';
export { httpStatusOf } from './service/http-status-of.js';
export type { LeaseInput, RenewInput } from './service/lease-session.js';
export type { EachQuery, ListOptions, ListQuery } from './service/list-sessions.js';
export type { NewHistoryEntry } from './service/new-history-entry.js';
export type {
  Appended,
  ClaimedSession,
  Claims,
  GetOrCreateResult,
  HistoryPart,
  OperationName,
  OperationResult,
  OperationResults,
  SessionPage,
  Spent,
  Sweep,
  SweptSession,
  WaitingCount,
} from './service/operation-results.js';
export type { OrThrow } from './service/or-throw.js';
export type { HistoryQuery } from './service/read-history.js';
export type { GetOptions, ReadOptions } from './service/read-session.js';
export type { ReleaseInput } from './service/release-session.js';
export type { ReplyOptions } from './service/reply.js';
export type { RewindInput } from './service/rewind-history.js';
export type { CreateIfMissing, NewMessage, SendOptions } from './service/send-message.js';
export type { SessionServiceOptions } from './service/service-options.js';
export type { Run, Turn } from './service/service-turn.js';
export type { ObservedOperation, SessionObserver } from './service/session-observer.js';
export type { SessionOperations } from './service/session-operations.js';
export { SessionService } from './service/session-service.js';
export type { SweepOptions } from './service/sweep-sessions.js';
export {
  createSweeper,
  type Sweeper,
  type SweeperOptions,
  type SweepReport,
} from './service/sweeper.js';
export type {
  Ending,
  Said,
  TakeInput,
  TurnEntries,
  TurnEntry,
  TurnOptions,
} from './service/turn.js';
export type {
  MessageState,
  Released,
  Reply,
  Sent,
  TakenMessages,
  WithdrawnMessages,
} from './service/turn-results.js';
export { unwrap } from './service/unwrap.js';
export type { UpdateInput, UpdateOptions } from './service/update-session.js';
export type { AnswerOptions } from './service/wait-for-answer.js';
export type { WakeOptions } from './service/wake-session.js';
export { createWorker, type Worker } from './service/worker.js';
export type { WorkerOptions } from './service/worker-options.js';
export { type Clock, systemClock } from './session/clock.js';
export type {
  CallbackFailed,
  Cancelled,
  Conflict,
  CorruptRecord,
  HistoryFull,
  HistoryMoved,
  IdempotencyMismatch,
  IdTaken,
  InboxFull,
  InputIssue,
  InvalidInput,
  InvalidTransition,
  Leased,
  LeaseEnded,
  LeaseLost,
  ListenerFailed,
  Misconfigured,
  NotAnswered,
  NotFound,
  OperationMismatch,
  PageTooLarge,
  RunTimeout,
  SearchTooLarge,
  SessionError,
  StoreError,
  StoreUnavailable,
  Superseded,
  SweepFailure,
  TooLarge,
  TooManyActive,
  Withdrawn,
  WorkFailed,
} from './session/errors.js';
export {
  changeDetailOf,
  type EventDetail,
  type SimpleEvent,
  type UpdatedData,
} from './session/event-detail.js';
export { acceptsHistoryAt } from './session/grace-period.js';
export { type Ids, randomIds } from './session/ids.js';
export { hasLabels, sameLabels } from './session/labels.js';
export { isLeasedWith } from './session/lease-state.js';
export { defaultLimits, SEARCH_LIMIT, type SessionLimits } from './session/limits.js';
export type { Optional } from './session/members.js';
export type { Message } from './session/message.js';
export type { OperationErrors } from './session/operation-errors.js';
export type {
  Counters,
  CreatedSession,
  HistoryEntry,
  JsonObject,
  JsonValue,
  LabelChanges,
  MessageEntry,
  MetadataChanges,
  PositionedEntry,
  Session,
  SessionLabels,
  SessionLease,
  SessionOptions,
  SessionOrigin,
  SessionState,
  SessionWork,
  TakenLease,
} from './session/session.js';
export type { EndedSession } from './session/session-at.js';
export { sessionAt } from './session/session-at.js';
export type {
  EventPage,
  EventsLost,
  PlainEventType,
  SessionChange,
  SessionChanged,
  SessionDeleted,
  SessionEvent,
  SessionEventType,
  SessionExpiring,
  SessionSnapshot,
  SessionSummary,
  TenantChange,
  TenantEvent,
  WatchAllOptions,
  WatchOptions,
  WatchSignal,
} from './session/session-event.js';
export { SessionFailure } from './session/session-failure.js';
export {
  type BudgetRecord,
  type LeaseRecord,
  REMEMBERED_OPERATIONS,
  type SessionHead,
  type SessionRecord,
  type SessionTerms,
  type StateRecord,
  type WorkRecord,
} from './session/session-record.js';
export type {
  DataInputOf,
  DataOf,
  MetadataChangesOf,
  MetadataInputOf,
  MetadataOf,
  SessionSchemas,
} from './session/session-schemas.js';
export type {
  CallerCommand,
  ClockCommand,
  EndReason,
  SessionCommand,
  SessionStatus,
  TransitionTarget,
} from './session/session-status.js';
export {
  acceptsHistory,
  clockCommands,
  transitions,
} from './session/session-status.js';
export type {
  StandardIssue,
  StandardProps,
  StandardResult,
  StandardSchema,
} from './session/standard-schema.js';
export { activeMsAt, dueAtOf, endsAt, stateAt } from './session/time-limits.js';
export { transition } from './session/transition.js';
export type { HeldLease } from './session/with-lease.js';
export { hasRunOut, wakeAtOf } from './session/work-state.js';
export { isMove, isRedaction, isStateChange } from './store/commit.js';
export {
  type BeginFacts,
  type Facts,
  isOpen,
  judgeBegin,
  judgeChange,
  judgeMove,
  judgeRedaction,
  judgeRemoval,
} from './store/judge.js';
export type {
  Answer,
  BeginCommit,
  Begun,
  ChangeCommit,
  Changed,
  Commit,
  DueKey,
  DueSession,
  DueSessions,
  EntriesOutcome,
  EventLog,
  EventPart,
  Guards,
  HistorySlice,
  InboxEffects,
  ListCursor,
  ListOrder,
  LiveLimit,
  Move,
  PageRange,
  ReadSize,
  RecordPage,
  Redaction,
  Refusal,
  Remains,
  RemoveCommit,
  Removed,
  SessionKey,
  SessionStore,
  Spend,
  StateChange,
  StatusAt,
  StoredMessage,
  TakenRecord,
  TakenRecords,
  TakeRange,
  UseChange,
  WaitingRange,
} from './store/session-store.js';
export { stateAfter } from './store/state-after.js';
