import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type {
  Misconfigured,
  SearchTooLarge,
  StoreError,
  StoreUnavailable,
  TooLarge,
} from '../../src/session/errors.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  AppendOutcome,
  DueKey,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  Inserted,
  LiveLimit,
  Opening,
  PageRange,
  ReadSize,
  RecordPage,
  Redacted,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
  SessionStore,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { Connection, newId } from './connection.js';
import { Deployment, type OpenCall, type RedisDeployment } from './deployment.js';
import { type Answer, type Failure, noStatusIndex } from './failure.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import {
  addition,
  claiming,
  creation,
  type Mutation,
  redaction,
  removal,
  replacement,
  rescheduling,
} from './mutation.js';
import { appendOutcomeOf, outcomeOf, type ReadOutcome } from './outcome.js';
import { readEntries } from './read-entries.js';
import { readPage } from './read-page.js';
import { claimSessions, countWaiting, readDue } from './read-queue.js';
import { findSession, findState } from './read-sessions.js';
import { redactEntries } from './redact-entries.js';
import { RedisEventLog } from './redis-event-log.js';
import { parseStoreOptions, type RedisSessionStoreOptions } from './redis-session-store-options.js';
import { Repair, type RepairOptions, type RepairReport } from './repair.js';
import { Writer } from './writer.js';

const inserted = outcomeOf('inserted', 'taken', 'source_changed', 'too_many');
const replaced = outcomeOf('replaced', 'stale', 'missing', 'too_many');
const removed = outcomeOf('removed', 'stale', 'missing');
const rescheduled = outcomeOf('moved', 'stale');

interface Conditions {
  readonly cap?: LiveLimit | undefined;
  /** Whether the call creates a session, and so stores the settings of the store. */
  readonly creates?: boolean;
}

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. A session is
 * stored in two strings, its state and its history. One script makes each change, with all its
 * indexes and its event. Changes that are made at the same time travel together.
 *
 * @example
 * ```ts no-run
 * import { Redis } from 'ioredis';
 *
 * const store = new RedisSessionStore({ client: new Redis('redis://127.0.0.1:6379') });
 * const sessions = new SessionService({ store });
 * ```
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #deployment: Deployment;
  /**
   * The log of changes; undefined if `events` is false in the options. Watches need a store with
   * events enabled.
   */
  readonly events: RedisEventLog | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: RedisSessionStoreOptions) {
    const settings = parseStoreOptions(options);
    this.#connection = new Connection(settings.client, settings.timeoutMs);
    this.#writer = new Writer(this.#connection);
    this.#deployment = new Deployment(this.#connection, settings);
    const log = () => new RedisEventLog(this.#connection, this.#deployment, settings.eventsClient);
    this.events = settings.events === false ? undefined : log();
  }

  /**
   * Returns the settings that all processes of this store share; undefined if no process has stored
   * any. `misconfigured` if the options of this process differ from them: call it at the start of a
   * process as a check. Writes nothing.
   *
   * @example
   * ```ts
   * const store = new RedisSessionStore({ client, events: true });
   * const deployment = await store.deployment();
   * if (deployment.isErr()) console.error('Other processes differ:', deployment.error.message);
   * else console.log(deployment.value); // undefined
   * ```
   */
  deployment(): ResultAsync<RedisDeployment | undefined, StoreUnavailable | Misconfigured> {
    return new ResultAsync(this.#deployment.find());
  }

  /**
   * Settles when no call is under way. With a `SessionService`, call its `drain` instead: an operation
   * may be between two calls. Closing the client ends calls that are on their way.
   *
   * @example
   * ```ts
   * const store = new RedisSessionStore({ client });
   * await store.drain(); // then `await client.quit()`
   * ```
   */
  drain(): Promise<void> {
    return this.#deployment.underWay.drain();
  }

  insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening?: Opening,
  ): Answer<Inserted> {
    return this.#change(
      { tenant, id: head.id },
      inserted,
      (keys) => creation(keys, newId(), head, state, opening),
      { cap: opening?.cap, creates: true },
    );
  }

  find(
    key: SessionKey,
    size: ReadSize = {},
  ): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> {
    return this.#deployment.run(({ call, keys }) => findSession(call, keys.of(key), size));
  }

  findState(key: DueKey): Answer<StateRecord | undefined> {
    return this.#deployment.run(({ call, keys }) => findState(call, keys.of(key)));
  }

  reportsEnds(): Answer<boolean> {
    return this.#deployment.run(async ({ reportsEnds }) => ok(reportsEnds));
  }

  list(
    tenant: string,
    range: PageRange,
  ): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> {
    return this.#deployment.run(({ call, keys }) => readPage(call, keys.tenant(tenant), range));
  }

  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    options: ReplaceOptions = {},
  ): Answer<Replaced> {
    const { cap } = options;
    return this.#change(key, replaced, (keys) => replacement(keys, previous, next, options), {
      cap,
    });
  }

  append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome> {
    return this.#change(key, appendOutcomeOf, (keys) => addition(keys, append));
  }

  redact(key: SessionKey, positions: readonly number[], now: number): Answer<Redacted> {
    return this.#deployment.run((open) => {
      const keys = open.keys.of(key);
      return redactEntries(key, positions, (left, incarnation) =>
        this.#make(open, keys, redaction(keys, left, now, incarnation)),
      );
    });
  }

  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome> {
    return this.#deployment.run(({ call, keys }) => readEntries(call, keys.of(key), slice));
  }

  remove(key: DueKey, conditions: Removal = {}): Answer<'removed' | 'stale' | 'missing'> {
    return this.#change(key, removed, (keys, { keys: keyspace }) =>
      removal(keys, keyspace, conditions),
    );
  }

  due(now: number, limit: number, cursor?: string): Answer<DueSessions> {
    return this.#deployment.run(({ call, keys }) => readDue(call, keys, now, limit, cursor));
  }

  claim(range: TakeRange): Answer<TakenRecords> {
    return this.#deployment.run((open) =>
      claimSessions(
        open.call,
        open.keys,
        range,
        async (keys, part) => {
          const made = await this.#make(open, keys, claiming(keys, part));
          return made.mapErr(({ error }) => error);
        },
        this,
      ),
    );
  }

  countWaiting(range: WaitingRange): Answer<number> {
    return this.#deployment.run(({ call, keys }) => countWaiting(call, keys, range));
  }

  reschedule(key: DueKey, times: Rescheduling): Answer<'moved' | 'stale'> {
    return this.#change(key, rescheduled, (keys) => rescheduling(keys, times));
  }

  /** Makes a mutation of one session. */
  #change<T>(
    key: DueKey,
    readOutcome: ReadOutcome<T>,
    mutationOf: (keys: SessionKeys, open: OpenCall) => Mutation,
    { cap, creates = false }: Conditions = {},
  ): Answer<T> {
    return this.#deployment.run(async (open) => {
      const keys = open.keys.of(key);
      if (cap !== undefined && keys.byStatus.ACTIVE === undefined) return err(noStatusIndex);
      return readOutcome(keys, await this.#make(open, keys, mutationOf(keys, open)));
    }, creates);
  }

  #make(
    { call, eventsLength }: OpenCall,
    keys: TenantKeys,
    mutation: Mutation,
  ): Promise<Result<string, Failure>> {
    return this.#writer.run(call, keys, mutation, eventsLength);
  }

  /**
   * Checks all keys of this store, and corrects index entries that are wrong because of manual
   * changes, another program or a restored backup. Call it occasionally or after such an event,
   * never in a request, because it scans all keys. The duration of each step is limited; the total
   * grows with the number of sessions.
   *
   * With `reconfigure`, it first changes the stored settings to the options of this process, except
   * `partitions`, and builds new indexes. Processes that are already running keep the settings that
   * they have read: stop them first.
   *
   * @example
   * ```ts
   * const store = new RedisSessionStore({ client, statusIndex: true });
   * const { sessions, unreadable } = await unwrap(store.repair({ reconfigure: true }));
   * console.log(sessions, unreadable.length); // 0 0
   * ```
   */
  repair({
    reconfigure = false,
  }: RepairOptions = {}): ResultAsync<RepairReport, StoreUnavailable | Misconfigured> {
    return new ResultAsync(this.#repair(reconfigure));
  }

  async #repair(
    reconfigure: boolean,
  ): Promise<Result<RepairReport, StoreUnavailable | Misconfigured>> {
    const changed = reconfigure ? await this.#deployment.change() : ok();
    if (changed.isErr()) return err(changed.error);
    return this.#deployment.run(
      (open) => new Repair(this.#connection, this.#writer, open).run(),
      true,
    );
  }
}
