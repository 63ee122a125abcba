import type { Result, ResultAsync } from 'neverthrow';
import type { InputPolicy } from '../input/input-policy.js';
import type {
  Appended,
  Claims,
  GetOrCreateResult,
  HistoryPart,
  SessionPage,
  Spent,
  WaitingCount,
} from '../service/operation-results.js';
import type { GetOptions, ReadOptions } from '../service/read-session.js';
import type {
  Released,
  Reply,
  Sent,
  TakenMessages,
  WithdrawnMessages,
} from '../service/turn-results.js';
import type { AnswerOptions } from '../service/wait-for-answer.js';
import type { Fields } from '../session/fields.js';
import type { Message } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { CreatedSession, Session, SessionLease, SessionState } from '../session/session.js';
import type { SessionChange, WatchOptions } from '../session/session-event.js';
import type { CallerCommand } from '../session/session-status.js';

/**
 * One tenant's sessions, with the methods that create, list and get need. The arguments of `create`
 * and `list` are unchecked input: the methods validate every field and return `invalid_input`.
 */
export interface TenantSessions {
  /** As `create` of `SessionService`. */
  create(input: unknown): ResultAsync<CreatedSession, OperationErrors['create']>;
  /** As `get` of `SessionService`. */
  get(id: string, options?: GetOptions): ResultAsync<Session, OperationErrors['get']>;
  /** As `list` of `SessionService`. */
  list(query: unknown, options?: ReadOptions): ResultAsync<SessionPage, OperationErrors['list']>;
}

/** The method that `getOrCreate` needs. The input is unchecked. */
export interface TenantOpenings {
  /** As `getOrCreate` of `SessionService`. */
  getOrCreate(
    input: unknown,
    options?: ReadOptions,
  ): ResultAsync<GetOrCreateResult, OperationErrors['getOrCreate']>;
}

/**
 * The methods that the commands need. All arguments but the id are unchecked input: the methods
 * validate them and return `invalid_input`.
 */
export type TenantCommands = {
  readonly [C in CallerCommand]: (
    id: string,
    options: Fields,
  ) => ResultAsync<SessionState, OperationErrors[C]>;
} & {
  /** As `extend` of `SessionService`. */
  extend(
    id: string,
    input: unknown,
    options: Fields,
  ): ResultAsync<SessionState, OperationErrors['extend']>;
  /** As `update` of `SessionService`. */
  update(
    id: string,
    input: unknown,
    options: Fields,
  ): ResultAsync<SessionState, OperationErrors['update']>;
  /** As `spend` of `SessionService`. */
  spend(id: string, usage: unknown, options: Fields): ResultAsync<Spent, OperationErrors['spend']>;
  /** As `append` of `SessionService`. */
  append(
    id: string,
    entries: unknown,
    options: Fields,
  ): ResultAsync<Appended, OperationErrors['append']>;
  /** As `rewind` of `SessionService`. */
  rewind(id: string, input: unknown): ResultAsync<Appended, OperationErrors['rewind']>;
  /** As `lease` of `SessionService`. */
  lease(id: string, input: unknown): ResultAsync<SessionLease, OperationErrors['lease']>;
  /** As `renew` of `SessionService`. */
  renew(id: string, input: unknown): ResultAsync<SessionLease, OperationErrors['renew']>;
  /** As `release` of `SessionService`. */
  release(id: string, input: unknown): ResultAsync<Released, OperationErrors['release']>;
  /** As `take` of `SessionService`. */
  take(id: string, input: unknown): ResultAsync<TakenMessages, OperationErrors['take']>;
  /** As `wake` of `SessionService`. */
  wake(id: string, options: unknown): ResultAsync<void, OperationErrors['wake']>;
  /** As `claim` of `SessionService`. */
  claim(input: unknown): ResultAsync<Claims, OperationErrors['claim']>;
  /** As `countWaiting` of `SessionService`. */
  countWaiting(): ResultAsync<WaitingCount, OperationErrors['countWaiting']>;
  /** As `cancel` of `SessionService`. */
  cancel(id: string, options: unknown): ResultAsync<void, OperationErrors['cancel']>;
  /** As `redact` of `SessionService`. */
  redact(id: string, positions: unknown): ResultAsync<void, OperationErrors['redact']>;
  /** As `delete` of `SessionService`. */
  delete(id: string): ResultAsync<void, OperationErrors['delete']>;
};

/** The methods that the operations on messages need. All arguments but the ids are unchecked. */
export interface TenantMessages {
  /** As `send` of `SessionService`. */
  send(id: string, message: unknown, options: Fields): ResultAsync<Sent, OperationErrors['send']>;
  /** As `inbox` of `SessionService`. */
  inbox(id: string): ResultAsync<readonly Message[], OperationErrors['inbox']>;
  /** As `withdraw` of `SessionService`. */
  withdraw(id: string, ids: unknown): ResultAsync<WithdrawnMessages, OperationErrors['withdraw']>;
  /** As `answer` of `SessionService`. */
  answer(
    id: string,
    messageId: unknown,
    options: AnswerOptions,
  ): ResultAsync<Reply, OperationErrors['answer']>;
}

/**
 * The method that event streams need. The iterable ends after an error, and when the signal is
 * aborted.
 */
export interface TenantEvents {
  /** As `watch` of `SessionService`. */
  watch(
    id: string,
    options: WatchOptions,
  ): AsyncIterable<Result<SessionChange, OperationErrors['watch']>>;
}

/** The method that reads of a part of a history need. The query is unchecked input. */
export interface TenantHistories {
  /** As `history` of `SessionService`. */
  history(id: string, query: unknown): ResultAsync<HistoryPart, OperationErrors['history']>;
}

/** A `SessionService`. `forTenant` returns the sessions of the tenant of a request. */
export interface Sessions<S> {
  forTenant(tenant: string): S;
  /** The limits and allowed names, for the OpenAPI document. */
  readonly policy?: InputPolicy | undefined;
}
