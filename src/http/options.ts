import type { Result, ResultAsync } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import type { SessionChange, WatchError, WatchOptions } from '../events/change.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { isFields, readNumber, readWhole } from '../input/values.js';
import type { AppendError, Appended } from '../service/append-history.js';
import type { ChangeError, OperationOptions } from '../service/change-session.js';
import type { CreateError } from '../service/create-session.js';
import type { ListError, SessionPage } from '../service/list-sessions.js';
import type { DeleteError, ReadError } from '../service/session-service.js';
import type { Session, SessionState } from '../session/session.js';
import type { CallerCommand } from '../status.js';
import type { Authenticate } from './api-keys.js';
import type { HandlerError } from './errors.js';
import { SessionWriter } from './session-writer.js';

/**
 * One tenant's sessions, as far as the three operations need them. What `create` and `list` are given comes from a
 * stranger: they check every field themselves and answer `invalid_input`.
 */
export interface TenantSessions {
  create(input: unknown): ResultAsync<Session, CreateError>;
  get(id: string): ResultAsync<Session, ReadError>;
  list(query: unknown): ResultAsync<SessionPage, ListError>;
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

/** How the events are served. */
export interface EventsOptions {
  /** Milliseconds after which a line is sent where nothing happens, 1,000 to 300,000. Default: 15,000. */
  readonly heartbeatMs?: number;
}

interface SharedOptions {
  /** Whose API key it is. `staticApiKeys([...])` may stand here as it is: if it is an error, nobody is let in. */
  readonly authenticate: Authenticate | Result<Authenticate, InvalidInput>;
  /** Bytes in a request's body. Default: 256 KiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds that the authenticator, and after it the store, may take; then the answer is 503. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Told of every error that is answered with a status of 500 or above, with the cause that the answer hides. */
  readonly onError?: (error: HandlerError) => void;
}

/** A `SessionService`; each request works on the sessions of the tenant that its API key belongs to. */
interface Sessions<S> {
  forTenant(tenant: string): S;
}

/**
 * What a session handler is made with. With `commands: true` it also serves `POST /start-session/{session_id}`,
 * `/pause-session`, `/resume-session`, `/terminate-session`, `/fail-session`, `/append-history` and `/delete-session`,
 * to whoever has an API key. With `events: true`, over a store that tells its events, it serves
 * `GET /session/{session_id}/events` as Server-Sent Events. Default: create, list and get alone.
 */
export type SessionHandlerOptions = SharedOptions &
  (
    | { readonly sessions: Sessions<TenantSessions & TenantCommands>; readonly commands?: boolean }
    | { readonly sessions: Sessions<TenantSessions>; readonly commands?: false }
  ) &
  (
    | { readonly sessions: Sessions<TenantSessions & TenantEvents>; readonly events?: boolean | EventsOptions }
    | { readonly sessions: Sessions<TenantSessions>; readonly events?: false }
  );

/** The options, read and with their defaults. */
export interface HandlerSettings {
  readonly sessions: Sessions<TenantSessions>;
  readonly authenticate: Authenticate;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly writer: SessionWriter;
}

const DEFAULT_BODY_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_HEARTBEAT_MS = 15_000;
const LEAST_HEARTBEAT_MS = 1000;
const MOST_HEARTBEAT_MS = 300_000;
/** The longest that a timer takes. */
const MOST_TIMEOUT_MS = 2 ** 31 - 1;

const nobody: Authenticate = () => undefined;

const readAuthenticate = (issues: IssueList, given: SessionHandlerOptions['authenticate']): Authenticate => {
  if (typeof given === 'function') return given;
  if (!isFields(given) || typeof given['match'] !== 'function') {
    issues.check(false, 'authenticate', 'must be a function, or what staticApiKeys gives');
    return nobody;
  }
  return given.match(
    (authenticate) => authenticate,
    (error) => {
      for (const { path, message } of error.issues) issues.check(false, path, message);
      return nobody;
    },
  );
};

const readHeartbeat = (issues: IssueList, events: unknown): number => {
  if (events === undefined || typeof events === 'boolean') return DEFAULT_HEARTBEAT_MS;
  issues.check(isFields(events), 'events', 'must be true, false, or { heartbeatMs }');
  const { heartbeatMs = DEFAULT_HEARTBEAT_MS } = isFields(events) ? events : {};
  return readNumber(issues, 'events.heartbeatMs', heartbeatMs, LEAST_HEARTBEAT_MS, MOST_HEARTBEAT_MS);
};

export const readHandlerOptions = (options: SessionHandlerOptions): Result<HandlerSettings, InvalidInput> =>
  readSafely('options', (issues) => {
    const { sessions, authenticate, commands, events, onError } = options;
    const { maxBodyBytes = DEFAULT_BODY_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const serves = isFields(sessions) && typeof sessions['forTenant'] === 'function';
    issues.check(serves, 'sessions', 'must be a SessionService');
    issues.check(commands === undefined || typeof commands === 'boolean', 'commands', 'must be true or false');
    issues.check(onError === undefined || typeof onError === 'function', 'onError', 'must be a function');
    return {
      sessions,
      authenticate: readAuthenticate(issues, authenticate),
      maxBodyBytes: readWhole(issues, 'maxBodyBytes', maxBodyBytes, 1),
      writer: new SessionWriter(),
      heartbeatMs: readHeartbeat(issues, events),
      timeoutMs: readNumber(issues, 'timeoutMs', timeoutMs, 1, MOST_TIMEOUT_MS),
    };
  });
