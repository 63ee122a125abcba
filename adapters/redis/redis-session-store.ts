import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type {
  Misconfigured,
  StoreError,
  StoreUnavailable,
  TooLarge,
  TooManyLabelled,
} from '../../src/session/errors.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { endsAt } from '../../src/session/state-at.js';
import type {
  AppendOutcome,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  Inserted,
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
  UnleasedPage,
  UnleasedRange,
} from '../../src/store/session-store.js';
import { finite } from '../shared/never.js';
import { appendEntries } from './append-entries.js';
import { Connection } from './connection.js';
import { Deployment, type RedisDeployment } from './deployment.js';
import { detailText } from './detail-text.js';
import { type Answer, noStatusIndex, tooManyEnded, toStoreError, unreadable } from './failure.js';
import { insertSession } from './insert-session.js';
import { dueSessions } from './read-due.js';
import { readEntries } from './read-entries.js';
import { readPage } from './read-page.js';
import { findSession } from './read-sessions.js';
import { readUnleased } from './read-unleased.js';
import { decodeRecord, revisionText, stateFields, stateLines } from './record.js';
import { redactEntries } from './redact-entries.js';
import { RedisEndQueue } from './redis-end-queue.js';
import { RedisEventLog } from './redis-event-log.js';
import { parseStoreOptions, type RedisSessionStoreOptions } from './redis-session-store-options.js';
import { Repair, type RepairOptions, type RepairReport } from './repair.js';
import { removeScript } from './scripts/remove-script.js';
import { replaceScript } from './scripts/replace-script.js';
import { rescheduleScript } from './scripts/reschedule-script.js';
import { letterOf } from './status-letters.js';
import { dueText, write } from './write.js';

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. A session is stored in two
 * strings, its state and its history. One script makes each change, with all its indexes and its event.
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Connection;
  readonly #deployment: Deployment;
  /** The log of changes; undefined if `events` is false in the options. Watches need a store with events enabled. */
  readonly events: RedisEventLog | undefined;
  readonly ends: RedisEndQueue;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: RedisSessionStoreOptions) {
    const settings = parseStoreOptions(options);
    this.#connection = new Connection(settings.client, settings.timeoutMs);
    this.#deployment = new Deployment(this.#connection, settings);
    this.ends = new RedisEndQueue(this.#deployment);
    const log = () => new RedisEventLog(this.#connection, this.#deployment, settings.eventsClient);
    this.events = settings.events === false ? undefined : log();
  }

  /**
   * Returns the settings that all processes of this store share; undefined if no process has stored any.
   * `misconfigured` if the options of this process differ from them: call it at the start of a process as a check.
   * Writes nothing.
   */
  deployment(): ResultAsync<RedisDeployment | undefined, StoreUnavailable | Misconfigured> {
    return new ResultAsync(this.#deployment.find());
  }

  async insert(tenant: string, head: SessionHead, state: StateRecord, opening?: Opening): Answer<Inserted> {
    const opened = await this.#deployment.beginInsert();
    return opened.isErr() ? err(opened.error) : insertSession(opened.value, tenant, head, state, opening);
  }

  find(key: SessionKey, size: ReadSize = {}): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> {
    return this.#deployment.read(({ call, keys }) => findSession(call, keys.of(key), size));
  }

  async findState(key: SessionKey): Answer<StateRecord | undefined> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const { call, keys } = opened.value;
    const { record } = keys.of(key);
    const text = await call.readCommand((client) => client.get(record));
    if (text.isErr()) return err(toStoreError(key)(text.error));
    if (text.value === null) return ok(undefined);
    const decoded = decodeRecord(key.id, text.value);
    return decoded === undefined ? err(unreadable(key)) : ok(decoded.state);
  }

  list(tenant: string, range: PageRange): Promise<Result<RecordPage, StoreError | TooManyLabelled | TooLarge>> {
    return this.#deployment.read(({ call, keys }) => readPage(call, keys.tenant(tenant), range));
  }

  async replace(
    key: SessionKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap }: ReplaceOptions = {},
  ): Answer<Replaced> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const { call, eventsLength } = opened.value;
    const session = opened.value.keys.of(key);
    const { record, deadlines, tenants, ends, reporting, events, byStatus, unleased, member, owner, path } = session;
    const isEnd = next.status === 'TERMINATED' && next.terms.reportEnds;
    const keys = [record, deadlines, tenants, ...(isEnd ? [ends, reporting] : []), ...Object.values(byStatus)];
    const args = [member, owner, revisionText(previous.revision), stateFields(next), letterOf(next.status)];
    args.push(stateLines(next), dueText(endsAt(next)), isEnd ? String(next.since) : '');
    args.push(event === undefined ? '' : event.type);
    args.push(event === undefined ? '' : ` ${event.at} ${path} ${detailText(event)}`, eventsLength);
    if (unleased !== undefined) keys.push(unleased);
    if (eventsLength !== '') keys.push(events);
    const freeSince = next.status === 'TERMINATED' ? '-' : String(unleasedSince(next));
    args.push(unleased === undefined ? '' : freeSince);
    if (cap === undefined) return write(call, session, replaceScript, keys, args, ['replaced', 'stale', 'missing']);
    if (byStatus.ACTIVE === undefined) return err(noStatusIndex);
    args.push(String(cap.sessions), String(cap.now));
    const outcomes = ['replaced', 'stale', 'missing', 'too_many', 'ended'] as const;
    const replaced = await write(call, session, replaceScript, keys, args, outcomes);
    return replaced.andThen((outcome) => (outcome === 'ended' ? err(tooManyEnded) : ok(outcome)));
  }

  async append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome> {
    const opened = await this.#deployment.begin();
    return opened.isErr() ? err(opened.error) : appendEntries(opened.value, key, append);
  }

  async redact(key: SessionKey, positions: readonly number[], now: number): Answer<Redacted> {
    const opened = await this.#deployment.begin();
    return opened.isErr() ? err(opened.error) : redactEntries(opened.value, key, positions, now);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome> {
    return this.#deployment.read(({ call, keys }) => readEntries(call, keys.of(key), slice));
  }

  async remove(key: SessionKey, { revision, now = Date.now() }: Removal = {}): Answer<'removed' | 'stale' | 'missing'> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const { call, eventsLength } = opened.value;
    const session = opened.value.keys.of(key);
    const {
      record,
      journal,
      names,
      deadlines,
      tenants,
      events,
      partition,
      index,
      byStatus,
      unleased,
      member,
      owner,
      path,
    } = session;
    const keys = [record, journal, names, deadlines, tenants, events, partition, index, ...Object.values(byStatus)];
    const args = [member, owner, revision === undefined ? '' : revisionText(revision), String(now)];
    args.push(eventsLength, path);
    if (unleased !== undefined) {
      keys.push(unleased);
      args.push('1');
    }
    return write(call, session, removeScript, keys, args, ['removed', 'stale', 'missing']);
  }

  unleased(tenant: string, range: UnleasedRange): Answer<UnleasedPage> {
    return this.#deployment.read(({ call, keys }) => readUnleased(call, keys.tenant(tenant), range));
  }

  due(now: number, limit: number, after?: string): Answer<DueSessions> {
    return this.#deployment.read(({ call, keys }) => dueSessions(call, keys, now, limit, after));
  }

  async reschedule(key: SessionKey, { from, to, isDamaged = false }: Rescheduling): Answer<'moved' | 'stale'> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const session = opened.value.keys.of(key);
    const { record, deadlines, tenants, member, owner } = session;
    const keys = isDamaged ? [deadlines, tenants] : [deadlines, tenants, record];
    const args = [member, owner, String(from), String(finite(to))];
    return write(opened.value.call, session, rescheduleScript, keys, args, ['moved', 'stale']);
  }

  /**
   * Checks all keys of this store, and corrects index entries that are wrong because of manual changes, another program
   * or a restored backup. Call it occasionally or after such an event, never in a request, because it scans all keys.
   * The duration of each step is limited; the total grows with the number of sessions.
   *
   * With `reconfigure`, it first changes the stored settings to the options of this process, except `partitions`, and
   * builds new indexes. Processes that are already running keep the settings that they have read: stop them first.
   */
  repair({ reconfigure = false }: RepairOptions = {}): ResultAsync<RepairReport, StoreUnavailable | Misconfigured> {
    return new ResultAsync(this.#repair(reconfigure));
  }

  async #repair(reconfigure: boolean): Promise<Result<RepairReport, StoreUnavailable | Misconfigured>> {
    const changed = reconfigure ? await this.#deployment.change() : ok();
    const opened = await changed.asyncAndThen(() => new ResultAsync(this.#deployment.beginInsert()));
    return opened.isErr() ? err(opened.error) : new Repair(this.#connection, opened.value.keys).run();
  }
}
