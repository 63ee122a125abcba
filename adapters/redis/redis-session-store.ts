import { err, ok, type Result, ResultAsync } from 'neverthrow';
import {
  type Misconfigured,
  type SearchTooLarge,
  type StoreError,
  type StoreUnavailable,
  storeUnavailable,
  type TooLarge,
} from '../../src/session/errors.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import {
  type BeginCommit,
  type Begun,
  type ChangeCommit,
  type Changed,
  isMove,
  isRedaction,
  isStateChange,
  type RemoveCommit,
  type Removed,
} from '../../src/store/commit.js';
import type {
  DueKey,
  DueSessions,
  EntriesOutcome,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  SessionKey,
  SessionStore,
  StoredMessage,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimSessions, type MakeClaim } from './claim-sessions.js';
import { Connection, newId } from './connection.js';
import { countWaiting } from './count-waiting.js';
import { begunOf, changedOf, removedOf } from './decode-outcome.js';
import { Deployment, type OpenCall, type RedisDeployment } from './deployment.js';
import { beginning, changeOf, clearing, moveOf, removalOf } from './encode-commit.js';
import type { Answer, Failure } from './failure.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { readDue } from './read-due.js';
import { readMessages } from './read-messages.js';
import { readPage } from './read-page.js';
import { findSession, findState, readEntries } from './read-sessions.js';
import { redactEntries } from './redact-entries.js';
import { RedisEventLog } from './redis-event-log.js';
import { parseStoreOptions, type RedisSessionStoreOptions } from './redis-session-store-options.js';
import { Repair, type RepairOptions, type RepairReport } from './repair.js';
import type { Mutation } from './write-scripts.js';
import { Writer } from './writer.js';

const MARKED = 'marked';
const UNFINISHED = 'unfinished';

const withdraws = (commit: ChangeCommit): boolean =>
  !isMove(commit) && isStateChange(commit) && (commit.effects.withdraw ?? []).length > 0;

/** The second step of a removal: see `scripts/remove.lua`. */
const rest = { guards: { revision: 0 }, effects: { events: [] } };

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
  /** The log of changes; undefined if `events` is false in the options. Watches require events. */
  readonly events: RedisEventLog | undefined;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: RedisSessionStoreOptions) {
    const settings = parseStoreOptions(options);
    this.#connection = new Connection(settings.sender, settings.timeoutMs);
    this.#writer = new Writer(this.#connection);
    this.#deployment = new Deployment(this.#connection, settings);
    const log = () => new RedisEventLog(this.#connection, this.#deployment, settings.eventsSender);
    this.events = settings.events === false ? undefined : log();
  }

  /**
   * Returns the settings that all processes of this store share; undefined if no process has stored
   * any. Fails with `misconfigured` if the options of this process differ from them, so call it as
   * a check when a process starts. Writes nothing.
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
   * Settles when no call is in progress. With a `SessionService`, call its `drain` instead, because
   * an operation may be between two calls. Closing the client ends calls in progress.
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

  begin(commit: BeginCommit): Answer<Begun> {
    return this.#deployment.run(async (open) => {
      const keys = open.keys.of(commit.key);
      const mutation = beginning(keys, newId(), commit);
      const made = await this.#make(open, keys, mutation);
      if (made.unwrapOr('') !== UNFINISHED) return begunOf(keys, made);
      const deleted = await this.#deleteRest(open, keys);
      if (deleted.isErr()) return err(deleted.error);
      return begunOf(keys, await this.#make(open, keys, mutation));
    }, true);
  }

  change(commit: ChangeCommit): Answer<Changed> {
    return this.#deployment.run(async (open) => {
      const keys = open.keys.of(commit.key);
      const make = (mutation: Mutation) => this.#make(open, keys, mutation);
      if (isRedaction(commit)) return redactEntries(keys, commit, make);
      const mutation = isMove(commit) ? moveOf(keys, commit) : changeOf(keys, commit);
      const changed = changedOf(keys, await make(mutation));
      // Withdrawn messages are deleted in a second step, like a removed session.
      if (changed.isOk() && changed.value.outcome === 'made' && withdraws(commit))
        await make(clearing(keys));
      return changed;
    });
  }

  remove(commit: RemoveCommit): Answer<Removed> {
    return this.#deployment.run(async (open) => {
      const keys = open.keys.of(commit.key);
      const made = await this.#make(open, keys, removalOf(keys, open.keys, commit));
      return made.unwrapOr('') === MARKED ? this.#deleteRest(open, keys) : removedOf(keys, made);
    });
  }

  /**
   * Another call may have deleted the data. If this fails, reads no longer return the session, but
   * its data may remain.
   */
  async #deleteRest(open: OpenCall, keys: SessionKeys): Answer<Removed> {
    const made = await this.#make(open, keys, removalOf(keys, open.keys, rest));
    return removedOf(keys, made)
      .map(() => ({ outcome: 'made' as const }))
      .mapErr((error) => storeUnavailable(error.message, 'unknown', error));
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

  page(
    tenant: string,
    range: PageRange,
  ): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> {
    return this.#deployment.run(({ call, keys }) => readPage(call, keys.tenant(tenant), range));
  }

  messages(key: SessionKey, ids?: readonly string[]): Answer<readonly StoredMessage[]> {
    return this.#deployment.run(async ({ call, keys }) => {
      // Without ids, the script would read all waiting messages.
      if (ids?.length === 0) return ok([]);
      return readMessages(call, keys.of(key), ids ?? []);
    });
  }

  entries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome> {
    return this.#deployment.run(({ call, keys }) => readEntries(call, keys.of(key), slice));
  }

  due(now: number, limit: number, cursor?: string): Answer<DueSessions> {
    return this.#deployment.run(({ call, keys }) => readDue(call, keys, now, limit, cursor));
  }

  take(range: TakeRange): Answer<TakenRecords> {
    return this.#deployment.run((open) => {
      const make: MakeClaim = (keys, mutation) => this.#make(open, keys, mutation);
      return claimSessions(open.call, open.keys, range, make, this);
    });
  }

  countWaiting(range: WaitingRange): Answer<number> {
    return this.#deployment.run(({ call, keys }) => countWaiting(call, keys, range));
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
   * never in a request, because it scans all keys. Each step has a limited duration; the total
   * grows with the number of sessions.
   *
   * With `reconfigure`, it first changes the stored settings to the options of this process, except
   * `partitions`, and builds new indexes. Stop other processes first, because they keep the
   * settings that they have read.
   *
   * @example
   * ```ts
   * const store = new RedisSessionStore({ client, reportEnds: true });
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
