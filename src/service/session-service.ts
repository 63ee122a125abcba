import { Err, err, Ok, ok, type Result, type ResultAsync } from 'neverthrow';
import { chain } from '../answer.js';
import {
  type CorruptRecord,
  type InvalidInput,
  type NotFound,
  notFound,
  type SessionError,
  type StoreUnavailable,
} from '../errors.js';
import type { SessionChange, TenantChange, WatchError, WatchOptions } from '../events/change.js';
import { safely } from '../events/safely.js';
import { SessionWatch } from '../events/session-watch.js';
import { watchTenant } from '../events/watch-tenant.js';
import type { InputPolicy } from '../input/policy.js';
import {
  readCommandOptions,
  readCreate,
  readId,
  readSweepLimit,
  readTenant,
  readWatch,
} from '../input/session-input.js';
import type { OperationName } from '../observer.js';
import type { Session, SessionState } from '../session/session.js';
import { sessionAt } from '../session/view.js';
import type { CallerCommand } from '../status.js';
import type { Answer, SessionKey } from '../store.js';
import { type AppendError, type Appended, appendHistory, type NewHistoryEntry } from './append-history.js';
import { type ChangeError, changeSession, type OperationOptions } from './change-session.js';
import { type CreateError, type CreateSessionInput, createSession, createSessionOnce } from './create-session.js';
import {
  type EachQuery,
  eachSession,
  type ListError,
  type ListQuery,
  listSessions,
  type SessionPage,
} from './list-sessions.js';
import { perform } from './perform.js';
import { type HistoryError, type HistoryPart, type HistoryQuery, readHistory } from './read-history.js';
import { readSettings, type SessionServiceOptions, type Settings } from './settings.js';
import { type Sweep, type SweepError, sweepSessions } from './sweep-sessions.js';

type Outcome = StoreUnavailable['outcome'];

export type ReadError = InvalidInput | NotFound | StoreUnavailable | CorruptRecord;
export type DeleteError = InvalidInput | StoreUnavailable | CorruptRecord;

/**
 * Creates, drives, reads and lists the interaction sessions of one tenant. Every operation answers with a
 * `ResultAsync`: nothing throws and nothing rejects, whatever the arguments and whatever the store does.
 */
export class SessionService {
  readonly #settings: Result<Settings, InvalidInput>;

  /** Options that break a rule do not throw here: every operation then answers `invalid_input` naming them. */
  constructor(options: SessionServiceOptions | Result<Settings, InvalidInput>) {
    this.#settings = isRead(options) ? options : readSettings(options);
  }

  /** What this service allows its callers: its limits, and its lists of names. */
  get policy(): Result<InputPolicy, InvalidInput> {
    return this.#settings.map(({ policy }) => policy);
  }

  /** The same service for another tenant's sessions: 1 to 256 characters, any at all. */
  forTenant(tenant: string): SessionService {
    return new SessionService(
      this.#settings.andThen((settings) => readTenant(tenant).map((name) => ({ ...settings, tenant: name }))),
    );
  }

  /** A new session, IDLE. */
  create(input: CreateSessionInput): ResultAsync<Session, CreateError> {
    return perform(this.#settings, 'create', (settings) =>
      chain(readCreate(input, settings.policy), ({ options, idempotencyKey }) =>
        idempotencyKey === undefined
          ? createSession(settings, options)
          : createSessionOnce(settings, options, idempotencyKey),
      ),
    );
  }

  /** The session with its history, as it is now. */
  get(id: string): ResultAsync<Session, ReadError> {
    return this.#runOn(
      'get',
      id,
      (settings, key) =>
        chain(settings.store.find(key), (found) =>
          chain(
            settings.now(),
            (now): Result<Session, NotFound> =>
              found === undefined ? err(notFound(key.id)) : ok(sessionAt(found, now)),
          ),
        ),
      'not_applied',
    );
  }

  /**
   * A part of the session's history: its last entries, or those behind a position. Its cost depends on what is in it, and
   * not on how long the history is. A position that the history has not is `invalid_input` that names `after`.
   */
  history(id: string, query: HistoryQuery = {}): ResultAsync<HistoryPart, HistoryError> {
    return this.#runOn('history', id, ({ store }, key) => readHistory(store, key, query), 'not_applied');
  }

  /** One page of the tenant's sessions with their histories, newest first unless asked for otherwise. */
  list(query: ListQuery = {}): ResultAsync<SessionPage, ListError> {
    return perform(this.#settings, 'list', (settings) => listSessions(settings, query), 'not_applied');
  }

  /**
   * All of the tenant's sessions, page after page by cursor: each that is there from the beginning to the end comes once.
   * One that cannot be read is a `corrupt_record` among them; after any other error nothing comes. Never throws.
   */
  each(query: EachQuery = {}): AsyncIterable<Result<Session, ListError>> {
    return eachSession(this.#settings, query);
  }

  /** IDLE to ACTIVE: the clock runs. */
  start(id: string, options: OperationOptions = {}): ResultAsync<SessionState, ChangeError> {
    return this.#change(id, 'start', options);
  }

  /** ACTIVE to PAUSED: the clock stops. */
  pause(id: string, options: OperationOptions = {}): ResultAsync<SessionState, ChangeError> {
    return this.#change(id, 'pause', options);
  }

  /** PAUSED to ACTIVE: the clock runs on. */
  resume(id: string, options: OperationOptions = {}): ResultAsync<SessionState, ChangeError> {
    return this.#change(id, 'resume', options);
  }

  /** To TERMINATED, `terminated`. A session that has ended already stays as it is, and that is a success. */
  terminate(id: string, options: OperationOptions = {}): ResultAsync<SessionState, ChangeError> {
    return this.#change(id, 'terminate', options);
  }

  /** To TERMINATED, `failed`. */
  fail(id: string, options: OperationOptions = {}): ResultAsync<SessionState, ChangeError> {
    return this.#change(id, 'fail', options);
  }

  /** Adds entries to the history of an ACTIVE or PAUSED session, all or none, at a cost that does not grow with it. */
  append(
    id: string,
    entries: readonly NewHistoryEntry[],
    options: OperationOptions = {},
  ): ResultAsync<Appended, AppendError> {
    return this.#runOn('append', id, (settings, key) => appendHistory(settings, key, entries, options));
  }

  /** Removes the session whole. One that is not there is a success too: afterwards there is none. */
  delete(id: string): ResultAsync<void, DeleteError> {
    return this.#runOn('delete', id, ({ store, now }, key) =>
      chain(now(), (at) => chain(store.remove(key, { now: at }), () => ok(undefined))),
    );
  }

  /**
   * What a session does: a snapshot of what it is now, then its events, in order, until it has ended or is deleted. With
   * `from`, the position of an event or of a snapshot, it goes on behind that one without a snapshot. An event may be told
   * twice, under the same id; where one may be missing, another snapshot comes in its place. The last item is an error
   * where there is one: `invalid_input` if the store tells no events, `not_found` if there is no such session. Aborting
   * the signal ends it at once. Nothing is read before the first item is asked for.
   */
  watch(id: string, options: WatchOptions = {}): AsyncIterable<Result<SessionChange, WatchError>> {
    return this.#iterate((settings) =>
      readId(id).andThen((read) =>
        readWatch(options).map((how) => new SessionWatch(settings, { tenant: settings.tenant, id: read }, how)),
      ),
    );
  }

  /** The events of all of the tenant's sessions from now on, or from a position on; `events_lost` where some are gone. */
  watchAll(options: WatchOptions = {}): AsyncIterable<Result<TenantChange, WatchError>> {
    return this.#iterate((settings) => readWatch(options).map((how) => watchTenant(settings, how)));
  }

  /**
   * Writes down the ends that the clock has made in the sessions of all tenants, and deletes those that are to be kept no
   * longer, at most `limit` in all (1 to 10000). `createSweeper` calls it again and again.
   */
  sweep(limit = 500): ResultAsync<Sweep, SweepError> {
    return perform(this.#settings, 'sweep', (settings) =>
      chain(readSweepLimit(limit), (most) => sweepSessions(settings, most)),
    );
  }

  #change(id: string, command: CallerCommand, options: OperationOptions): ResultAsync<SessionState, ChangeError> {
    return this.#runOn(command, id, (settings, key) =>
      chain(readCommandOptions(options), ({ operationId }) => changeSession(settings, key, command, operationId)),
    );
  }

  #runOn<T, E extends SessionError>(
    name: OperationName,
    id: unknown,
    operation: (settings: Settings, key: SessionKey) => Answer<T, E>,
    outcome?: Outcome,
  ) {
    return perform(
      this.#settings,
      name,
      (settings) => chain(readId(id), (read) => operation(settings, { tenant: settings.tenant, id: read })),
      outcome,
      id,
    );
  }

  #iterate<T>(
    begin: (settings: Settings) => Result<AsyncIterator<Result<T, WatchError>, void>, InvalidInput>,
  ): AsyncIterable<Result<T, WatchError>> {
    return safely(() => this.#settings.andThen(begin));
  }
}

/** A proxy may throw even at `instanceof`; `readSettings` makes an answer of it. */
const isRead = (
  options: SessionServiceOptions | Result<Settings, InvalidInput>,
): options is Result<Settings, InvalidInput> => {
  try {
    return options instanceof Ok || options instanceof Err;
  } catch {
    return false;
  }
};
