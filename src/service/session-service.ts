import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { DeleteError, ReadError, WatchError } from '../errors.js';
import {
  type AppendError,
  type ChangeError,
  type CreateError,
  type HistoryError,
  type InvalidInput,
  type ListError,
  notFound,
  type SessionError,
  type StoreUnavailable,
  type SweepError,
} from '../errors.js';
import type { SessionChange, TenantChange, WatchAllOptions, WatchOptions } from '../events/event.js';
import { safely } from '../events/safely.js';
import { SessionWatch } from '../events/session-watch.js';
import { watchTenant } from '../events/watch-tenant.js';
import { readEachQuery, readGetOptions } from '../input/list-input.js';
import type { InputPolicy } from '../input/policy.js';
import { readCommandOptions, readCreate, readId, readSweepLimit, readWatch } from '../input/session-input.js';
import type { Session, SessionState } from '../session/session.js';
import { sessionAt } from '../session/timeline.js';
import type { CallerCommand } from '../status.js';
import type { SessionKey } from '../store.js';
import { changeSession, type OperationOptions } from './change-session.js';
import { type CreateSessionInput, createSession } from './create-session.js';
import {
  type Appended,
  appendHistory,
  type HistoryPart,
  type HistoryQuery,
  type NewHistoryEntry,
  readHistory,
} from './history.js';
import {
  admittedBy,
  type EachQuery,
  eachSession,
  type ListQuery,
  listSessions,
  type ReadOptions,
  type SessionPage,
} from './list-sessions.js';
import { type Operation, perform } from './perform.js';
import { readSettings, type SessionServiceOptions, Settings } from './settings.js';
import { type Sweep, sweepSessions } from './sweep-sessions.js';

/** What `get` takes beside the id. */
export interface GetOptions extends ReadOptions {
  /** At most so many of the latest history entries, from 0; `historyCount` tells how many there are. Default: all. */
  readonly historyLimit?: number | undefined;
}

/**
 * Creates, drives, reads and lists the interaction sessions of one tenant. Every operation answers with a
 * `ResultAsync`: nothing throws and nothing rejects, whatever the arguments and whatever the store does.
 */
export class SessionService {
  readonly #settings: Settings;

  /** Throws a `TypeError` that names every option which breaks a rule or is unknown. */
  constructor(options: SessionServiceOptions) {
    this.#settings = Settings.is(options) ? options : readSettings(options);
  }

  /** What this service allows its callers: its limits, and its lists of names. */
  get policy(): InputPolicy {
    return this.#settings.policy;
  }

  /**
   * The same service for another tenant's sessions. A tenant is 1 to 256 characters, any at all; with any other value
   * every operation answers `invalid_input`.
   */
  forTenant(tenant: string): SessionService {
    return new SessionService(this.#settings.forTenant(tenant));
  }

  /** A new session, IDLE. */
  create(input: CreateSessionInput): ResultAsync<Session, CreateError> {
    return perform(this.#settings, { name: 'create' }, async () => {
      const read = readCreate(input, this.#settings.policy);
      return read.isErr() ? err(read.error) : createSession(this.#settings, read.value);
    });
  }

  /** The session as it is now, with its history. */
  get(id: string, options: GetOptions = {}): ResultAsync<Session, ReadError> {
    return this.#performOn(
      { name: 'get', id, outcome: 'not_applied' },
      async ({ store, now }, key): Promise<Result<Session, ReadError>> => {
        const size = readGetOptions(options);
        if (size.isErr()) return err(size.error);
        const found = await store.find(key, size.value, admittedBy(options));
        if (found.isErr()) return err(found.error);
        const time = now();
        if (time.isErr()) return err(time.error);
        return found.value === undefined ? err(notFound(key.id)) : ok(sessionAt(found.value, time.value));
      },
    );
  }

  /**
   * A part of the session's history: its last entries, or those behind a position. Its cost depends on what is in it, and
   * not on how long the history is. A position that the history has not is `invalid_input` that names `after`.
   */
  history(id: string, query: HistoryQuery = {}): ResultAsync<HistoryPart, HistoryError> {
    return this.#performOn({ name: 'history', id, outcome: 'not_applied' }, (settings, key) =>
      readHistory(settings, key, query),
    );
  }

  /** One page of the tenant's sessions with their histories, newest first unless asked for otherwise. */
  list(query: ListQuery = {}, options: ReadOptions = {}): ResultAsync<SessionPage, ListError> {
    return perform(this.#settings, { name: 'list', outcome: 'not_applied' }, () =>
      listSessions(this.#settings, query, options),
    );
  }

  /**
   * All of the tenant's sessions, page after page by cursor: each that is there from the beginning to the end comes once.
   * One that cannot be read is a `corrupt_record` among them; after any other error nothing comes. Never throws.
   */
  each(query: EachQuery = {}): AsyncIterable<Result<Session, ListError>> {
    return eachSession(this.#settings, readEachQuery(query));
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
    return this.#performOn({ name: 'append', id }, (settings, key) => appendHistory(settings, key, entries, options));
  }

  /** Removes the session whole. One that is not there is a success too: afterwards there is none. */
  delete(id: string): ResultAsync<void, DeleteError> {
    return this.#performOn({ name: 'delete', id }, async ({ store, now }, key): Promise<Result<void, DeleteError>> => {
      const time = now();
      if (time.isErr()) return err(time.error);
      const removed = await store.remove(key, { now: time.value });
      return removed.isErr() ? err(removed.error) : ok(undefined);
    });
  }

  /**
   * What a session does: a snapshot of what it is now, then its events, in the order of their sequence, until it has ended
   * or is deleted. With `from`, the position of an item, it goes on behind that one without a snapshot. Where events are
   * missing, another snapshot comes in their place. That the clock ends the session is told at that instant, whoever writes
   * it down. The last item is an error where there is one: `invalid_input` if the store tells no events, `not_found` if
   * there is no such session, `store_unavailable` if its client was closed. Aborting the signal ends it at once. Nothing is
   * read before the first item is asked for.
   */
  watch(id: string, options: WatchOptions = {}): AsyncIterable<Result<SessionChange, WatchError>> {
    return this.#iterate((settings) =>
      readId(id).andThen((read) =>
        readWatch(options).map((how) => new SessionWatch(settings, { tenant: settings.tenant, id: read }, how)),
      ),
    );
  }

  /**
   * The events of all of the tenant's sessions, from now on or from a position on, each session's in the order of their
   * sequence; `events_lost` where some are missing. It tells what is written down: an end that the clock has made comes
   * with the next sweep.
   */
  watchAll(options: WatchAllOptions = {}): AsyncIterable<Result<TenantChange, WatchError>> {
    return this.#iterate((settings) => readWatch(options).map((how) => watchTenant(settings, how)));
  }

  /**
   * Writes down the ends that the clock has made in the sessions of all tenants, and deletes those that are to be kept no
   * longer, at most `limit` in all (1 to 10000). `createSweeper` calls it again and again.
   */
  sweep(limit = 500): ResultAsync<Sweep, SweepError> {
    return perform(this.#settings, { name: 'sweep' }, async () => {
      const read = readSweepLimit(limit);
      return read.isErr() ? err(read.error) : sweepSessions(this.#settings, read.value);
    });
  }

  #change(id: string, command: CallerCommand, options: OperationOptions): ResultAsync<SessionState, ChangeError> {
    return this.#performOn({ name: command, id }, async (settings, key) => {
      const read = readCommandOptions(options);
      return read.isErr() ? err(read.error) : changeSession(settings, key, command, read.value);
    });
  }

  #performOn<T, E extends SessionError>(
    operation: Operation,
    carryOut: (settings: Settings, key: SessionKey) => Promise<Result<T, E>>,
  ): ResultAsync<T, E | InvalidInput | StoreUnavailable> {
    const settings = this.#settings;
    return perform(settings, operation, async () => {
      const id = readId(operation.id);
      return id.isErr()
        ? err<T, E | InvalidInput>(id.error)
        : carryOut(settings, { tenant: settings.tenant, id: id.value });
    });
  }

  #iterate<T>(
    begin: (settings: Settings) => Result<AsyncIterator<Result<T, WatchError>, void>, InvalidInput>,
  ): AsyncIterable<Result<T, WatchError>> {
    const { tenantError } = this.#settings;
    return safely(() => (tenantError === undefined ? begin(this.#settings) : err(tenantError)));
  }
}
