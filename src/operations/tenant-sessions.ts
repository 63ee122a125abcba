import type { Result, ResultAsync } from 'neverthrow';
import type {
  AppendError,
  ChangeError,
  CreateError,
  DeleteError,
  HistoryError,
  ListError,
  ReadError,
  WatchError,
} from '../errors.js';
import type { SessionChange, WatchOptions } from '../events/session-event.js';
import type { InputPolicy } from '../input/input-policy.js';
import type { OperationOptions } from '../service/change-session.js';
import type { Appended, HistoryPart } from '../service/history.js';
import type { ReadOptions, SessionPage } from '../service/list-sessions.js';
import type { GetOptions } from '../service/session-service.js';
import type { Session, SessionState } from '../session/session.js';
import type { CallerCommand } from '../session/session-status.js';

/**
 * One tenant's sessions, as far as the three operations need them. What `create` and `list` are given comes from a
 * stranger: they check every field themselves and answer `invalid_input`.
 */
export interface TenantSessions {
  create(input: unknown): ResultAsync<Session, CreateError>;
  get(id: string, options?: GetOptions): ResultAsync<Session, ReadError>;
  list(query: unknown, options?: ReadOptions): ResultAsync<SessionPage, ListError>;
}

/**
 * What the commands need besides. Entries and options come from a stranger: each checks them itself and answers
 * `invalid_input`.
 */
export type TenantCommands = {
  readonly [C in CallerCommand]: (id: string, options: OperationOptions) => ResultAsync<SessionState, ChangeError>;
} & {
  append(id: string, entries: unknown, options: OperationOptions): ResultAsync<Appended, AppendError>;
  delete(id: string): ResultAsync<void, DeleteError>;
};

/** What the events need besides. The iterable ends after an error, and when the signal is aborted. */
export interface TenantEvents {
  watch(id: string, options: WatchOptions): AsyncIterable<Result<SessionChange, WatchError>>;
}

/** What a history by parts needs besides. The query comes from a stranger. */
export interface TenantHistories {
  history(id: string, query: unknown): ResultAsync<HistoryPart, HistoryError>;
}

/** A `SessionService`; each request works on the sessions of the tenant that its API key belongs to. */
export interface Sessions<S> {
  forTenant(tenant: string): S;
  /** What it allows its callers, for the document of the interface. */
  readonly policy?: InputPolicy;
}
