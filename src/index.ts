export type { Clock } from './clock.js';
export { systemClock } from './clock.js';
export type {
  AppendError,
  ChangeError,
  Conflict,
  CorruptRecord,
  CreateError,
  DeleteError,
  HistoryError,
  HistoryFull,
  IdempotencyMismatch,
  InputIssue,
  InvalidInput,
  InvalidTransition,
  ListError,
  NotFound,
  PageTooLarge,
  ReadError,
  SessionError,
  StoreError,
  StoreUnavailable,
  SweepError,
  WatchError,
} from './errors.js';
export type {
  EventPage,
  EventsLost,
  SessionChange,
  SessionEvent,
  SessionEventType,
  SessionSnapshot,
  TenantChange,
  WatchOptions,
  WatchSignal,
} from './events/event.js';
export type { Ids } from './ids.js';
export { randomIds } from './ids.js';
export type { InputPolicy } from './input/policy.js';
export type { SessionLimits } from './limits.js';
export { defaultLimits } from './limits.js';
export type { Logger } from './logger.js';
export type { ObservedOperation, OperationName, SessionObserver } from './observer.js';
export type { OperationOptions } from './service/change-session.js';
export type { CreateSessionInput } from './service/create-session.js';
export type { Appended, HistoryPart, HistoryQuery, NewHistoryEntry } from './service/history.js';
export type { EachQuery, ListQuery, ReadOptions, SessionPage } from './service/list-sessions.js';
export type { GetOptions } from './service/session-service.js';
export { SessionService } from './service/session-service.js';
export type { SessionServiceOptions } from './service/settings.js';
export type { Sweep, SweptSession } from './service/sweep-sessions.js';
export type { SessionHead, SessionRecord, StateRecord } from './session/record.js';
export { REMEMBERED_OPERATIONS } from './session/record.js';
export type { HistoryEntry, Session, SessionOptions, SessionState } from './session/session.js';
export { acceptsHistoryUntil, activeMsAt, settle } from './session/timeline.js';
export { sessionAt } from './session/view.js';
export type {
  CallerCommand,
  ClockCommand,
  EndReason,
  SessionCommand,
  SessionStatus,
  TransitionTarget,
} from './status.js';
export { acceptsHistory, clockCommands, transition, transitions } from './status.js';
export type {
  Admit,
  Answer,
  AppendOutcome,
  DueSession,
  DueSessions,
  EntriesOutcome,
  EventLog,
  HistoryAppend,
  HistorySlice,
  ListOrder,
  ListPlace,
  PageRange,
  ReadSize,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
  StatusAt,
} from './store.js';
export type { Sweeper, SweeperOptions, SweepReport } from './sweeper.js';
export { createSweeper } from './sweeper.js';
