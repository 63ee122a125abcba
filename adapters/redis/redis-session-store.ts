import { err, ok, Result, ResultAsync } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { tidingsOf } from '../../src/events/tidings.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import type {
  AppendOutcome,
  DueSession,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  PageRange,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
  StoreError,
} from '../../src/store.js';
import type { Connection } from './connection.js';
import { type DeadlineIndex, deadlineText } from './deadline-index.js';
import { DueReader } from './due-reader.js';
import { RedisEventLog } from './event-log.js';
import { EventWriter } from './event-writer.js';
import { failed, unknownFormat, unmatchedStrings } from './failure.js';
import { HistoryReader } from './history-reader.js';
import { relistScript } from './index-scripts.js';
import { journalOf } from './journal-text.js';
import { JournalWriter, newWriteId } from './journal-writer.js';
import type { Keyspace } from './keys.js';
import type { Leftovers } from './leftovers.js';
import { type RedisSessionStoreOptions, readOptions } from './options.js';
import { PageReader } from './page-reader.js';
import { partsOf } from './parts.js';
import type { RecordReader } from './record-reader.js';
import { Repair, type RepairReport } from './repair.js';
import { insertOutcome, removeOutcome, replaceOutcome } from './replies.js';
import { insertScript, removeScript, replaceScript } from './scripts.js';
import { decodeState, encodeState, isGone } from './state-text.js';
import type { StatusIndex } from './status-index.js';

type Reply<T> = Promise<Result<T, StoreError>>;

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. Two strings hold a session: a
 * small state that is replaced under its revision, and a journal that only grows. What is in them stands in
 * `state-text.ts` and `journal-text.ts`, how they change in `scripts.ts`. Options that break a rule do not throw:
 * every call then answers `store_unavailable` with that rule.
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #pages: PageReader;
  readonly #repair: Repair;
  readonly #records: RecordReader;
  readonly #journals: JournalWriter;
  readonly #histories: HistoryReader;
  readonly #leftovers: Leftovers;
  readonly #deadlines: DeadlineIndex;
  readonly #due: DueReader;
  readonly #statuses: StatusIndex;
  readonly #tidings: EventWriter;
  readonly events: RedisEventLog | undefined;

  constructor(options: RedisSessionStoreOptions) {
    const settings = readOptions(options);
    const parts = partsOf(settings);
    this.#connection = parts.connection;
    this.#keys = parts.keys;
    this.#records = parts.records;
    this.#leftovers = parts.leftovers;
    this.#deadlines = parts.deadlines;
    this.#statuses = parts.statuses;
    this.#pages = new PageReader(parts);
    this.#repair = new Repair(parts);
    const eventsLength = settings.isOk() ? settings.value.eventsLength : undefined;
    this.#tidings = new EventWriter(this.#connection, this.#keys, eventsLength);
    const log = new RedisEventLog(this.#connection, this.#keys, this.#tidings);
    this.events = eventsLength === undefined ? undefined : log;
    this.#journals = new JournalWriter(this.#connection, this.#keys, this.#tidings);
    this.#histories = new HistoryReader(this.#connection, this.#keys);
    this.#due = new DueReader(this.#connection, this.#keys, this.#deadlines, this.events);
  }

  async insert(tenant: string, head: SessionHead, state: StateRecord): Reply<'inserted' | 'taken'> {
    const key = { tenant, id: head.id };
    const keys = this.#keys.of(key);
    const writeId = newWriteId();
    const journal = journalOf(head, writeId);
    const createdAt = String(Date.parse(head.createdAt));
    const end = this.#connection.endOfCall();
    // In one flight with the session itself, whose script sees whether they have arrived.
    const listing = this.#connection.tell((client) => client.zadd(keys.index, 'NX', createdAt, keys.member), end);
    const entering = this.#statuses.enter(key, state.status, end);
    const scheduling = this.#deadlines.schedule(keys, state, end);
    const reply = await this.#connection.write(
      insertScript,
      [keys.state, keys.journal, keys.index, keys.deadlines],
      [encodeState(state), journal, createdAt, keys.member, deadlineText(state), keys.due, writeId],
      end,
    );
    await listing;
    await scheduling;
    const entered = await entering;
    if (reply.isErr()) return err(failed(key)(reply.error));
    const { outcome, isKnown, made, createdMs } = insertOutcome(reply.value);
    if (outcome === undefined) return err(unknownFormat(key));
    const told = await this.#tidings.tell(key, made, { type: 'created', at: createdMs }, end);
    if (told.isErr()) return err(told.error);
    if (outcome === 'inserted') this.#journals.knows(keys.journal, { length: Buffer.byteLength(journal), id: writeId });
    if (isKnown && entered.isOk()) return ok(outcome);
    const relisted = await this.#connection.write(
      relistScript,
      [keys.state, keys.index],
      [keys.member, createdAt],
      end,
    );
    const rescheduled = await this.#deadlines.schedule(keys, state, end);
    const enteredNow = outcome === 'inserted' ? await this.#statuses.enter(key, state.status, end) : entered;
    return Result.combine([relisted, rescheduled, enteredNow])
      .map(() => outcome)
      .mapErr(failed(key));
  }

  async find(key: SessionKey): Reply<SessionRecord | undefined> {
    const keys = this.#keys.of(key);
    const strings = await this.#connection.read((client) => client.mget(keys.state, keys.journal));
    return strings.mapErr(failed(key)).andThen(([state, journal]): Result<SessionRecord | undefined, StoreError> => {
      const record = this.#records.readOf(key.id, state, journal);
      if (record === 'corrupt') return err(unmatchedStrings(key));
      return ok(record === 'missing' ? undefined : record);
    });
  }

  async findState(key: SessionKey): Reply<StateRecord | undefined> {
    const { state } = this.#keys.of(key);
    const text = await this.#connection.read((client) => client.get(state));
    return text.mapErr(failed(key)).andThen((found): Result<StateRecord | undefined, StoreError> => {
      if (found === null || isGone(found)) return ok(undefined);
      const decoded = decodeState(found);
      return decoded === undefined ? err(unknownFormat(key)) : ok(decoded);
    });
  }

  list(tenant: string, range: PageRange): Reply<RecordPage> {
    return this.#pages.read(tenant, range);
  }

  async replace(key: SessionKey, next: StateRecord): Reply<'replaced' | 'stale' | 'missing'> {
    const keys = this.#keys.of(key);
    const end = this.#connection.endOfCall();
    const entering = this.#statuses.enter(key, next.status, end);
    const scheduling = this.#deadlines.schedule(keys, next, end);
    const replacing = this.#connection.write(
      replaceScript,
      [keys.state, keys.deadlines, keys.journal],
      [
        ...[String(next.revision - 1), encodeState(next), newWriteId()],
        ...[deadlineText(next), keys.due, next.status === 'TERMINATED' ? '1' : ''],
      ],
      end,
    );
    // All in one flight. A deadline that is noted too early, where this one does not arrive, does no harm. While there is
    // something to tell, it is what leads a sweep to a change that was made and not told.
    const rescheduling = this.events === undefined ? this.#deadlines.reschedule(keys, end) : undefined;
    const leaving = this.#statuses.leaveOthers(key, next.status, end);
    const reply = await replacing;
    await scheduling;
    await rescheduling;
    await leaving;
    const entered = await entering;
    if (reply.isErr()) return err(failed(key)(reply.error));
    const { outcome, isKnown, made, before } = replaceOutcome(reply.value);
    if (outcome === undefined) return err(unknownFormat(key));
    if (this.events !== undefined && outcome === 'replaced') {
      const told = await this.#tidings.tell(key, made, tidingsOf(before === 'P', next), end);
      if (told.isErr()) return err(told.error);
      await this.#deadlines.reschedule(keys, end);
    }
    if (isKnown && (entered.isOk() || outcome !== 'replaced')) return ok(outcome);
    const rescheduled = await this.#deadlines.reschedule(keys, end);
    const enteredNow = await this.#statuses.enter(key, next.status, end);
    return Result.combine([rescheduled, enteredNow])
      .map(() => outcome)
      .mapErr(failed(key));
  }

  append(key: SessionKey, append: HistoryAppend): Reply<AppendOutcome> {
    return this.#journals.append(key, append);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Reply<EntriesOutcome> {
    return this.#histories.read(key, slice);
  }

  async remove(key: SessionKey, { revision, now }: Removal = {}): Reply<'removed' | 'stale' | 'missing'> {
    const { state, journal } = this.#keys.of(key);
    this.#journals.forget(journal);
    const end = this.#connection.endOfCall();
    const args = [newWriteId(), revision === undefined ? '' : String(revision)];
    const reply = await this.#connection.write(removeScript, [state, journal], args, end);
    if (reply.isErr()) return err(failed(key)(reply.error));
    const { outcome, made } = removeOutcome(reply.value);
    if (outcome === undefined) return err(unknownFormat(key));
    if (outcome === 'stale') return ok(outcome);
    const told = await this.#tidings.tell(key, made, { type: 'deleted', at: now ?? Date.now() }, end);
    if (told.isErr()) return err(told.error);
    const cleared = await Promise.all([this.#leftovers.clear(key, end), this.#statuses.leave(key, undefined, end)]);
    return Result.combine(cleared)
      .map(() => outcome)
      .mapErr(failed(key));
  }

  due(now: number, limit: number): Reply<readonly DueSession[]> {
    return this.#due.read(now, limit);
  }

  /**
   * Goes through all that this store keeps, and puts right what a hand, another program or a restored backup has left
   * wrong in its indexes. It scans: call it now and then, or after such an event, never in a request. Each of its steps
   * is bounded in time; the whole takes as long as there are sessions.
   */
  repair(): ResultAsync<RepairReport, StoreUnavailable> {
    return new ResultAsync(this.#repair.run());
  }
}
