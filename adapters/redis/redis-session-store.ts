import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../../src/errors.js';
import { tidingsOf } from '../../src/events/tidings.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import type {
  Admit,
  AppendOutcome,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
} from '../../src/store.js';
import { Connection } from './connection.js';
import { DueReader } from './due-reader.js';
import { RedisEventLog } from './event-log.js';
import { EventWriter } from './event-writer.js';
import { failed, unreadable } from './failure.js';
import { HistoryReader } from './history-reader.js';
import { HistoryWriter } from './history-writer.js';
import { Keyspace } from './keys.js';
import { type RedisSessionStoreOptions, readStoreOptions } from './options.js';
import { PageReader } from './page-reader.js';
import { insertScript, replaceScript } from './record-scripts.js';
import { decodeState, encodeHead, encodeOrigin, encodeRevision, encodeState, statusOfLetter } from './record-text.js';
import { Removals } from './removals.js';
import { Repair, type RepairReport } from './repair.js';
import { runListed } from './run-listed.js';
import { SessionIndex } from './session-index.js';
import { SessionReader } from './session-reader.js';
import { newWriteId } from './write-id.js';

type Reply<T> = Promise<Result<T, StoreError>>;

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. Two strings hold a session: a
 * record that is replaced under its revision (`record-text.ts`), and a journal that only grows (`journal-text.ts`).
 *
 * A write is three steps: what the record needs beside it is added, the script that writes the record checks that and
 * decides the outcome, and what does not fit any more is taken away. Nothing behind the script makes its outcome another,
 * except that it is `unknown` where the event could not be told.
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #index: SessionIndex;
  readonly #sessions: SessionReader;
  readonly #pages: PageReader;
  readonly #historyWriter: HistoryWriter;
  readonly #historyReader: HistoryReader;
  readonly #removals: Removals;
  readonly #due: DueReader;
  readonly #eventWriter: EventWriter;
  readonly events: RedisEventLog | undefined;

  /** Throws a `TypeError` that names every option which breaks a rule or is unknown. */
  constructor(options: RedisSessionStoreOptions) {
    const { client, prefix, partitions, timeoutMs, statusIndex, eventsLength } = readStoreOptions(options);
    this.#connection = new Connection(client, timeoutMs);
    this.#keys = new Keyspace(prefix, partitions);
    this.#index = new SessionIndex(this.#keys, statusIndex);
    this.#sessions = new SessionReader(this.#connection, this.#keys);
    this.#pages = new PageReader(this.#connection, this.#keys, this.#sessions, this.#index);
    this.#eventWriter = new EventWriter(this.#keys, eventsLength);
    this.events =
      eventsLength === undefined ? undefined : new RedisEventLog(this.#connection, this.#keys, this.#eventWriter);
    this.#historyWriter = new HistoryWriter(this.#connection, this.#keys, this.#eventWriter);
    this.#historyReader = new HistoryReader(this.#connection, this.#keys);
    this.#removals = new Removals(this.#connection, this.#keys, this.#index);
    this.#due = new DueReader(this.#connection, this.#keys, this.#index, this.events);
  }

  async insert(tenant: string, head: SessionHead, state: StateRecord): Reply<'inserted' | 'taken'> {
    const key = { tenant, id: head.id };
    const call = this.#connection.begin();
    const createdMs = Date.parse(head.createdAt);
    const { record, journal, names } = this.#keys.of(key);
    const { keys, args, add } = this.#index.beforeInsert(call, key, state, createdMs);
    const writeId = newWriteId();
    const { start, end } = encodeState(state);
    const line = `${start}${encodeOrigin(writeId, state, createdMs)}${end}`;
    const written = await runListed(
      call,
      insertScript,
      [record, journal, names, ...keys],
      [...args, writeId, String(createdMs), line, `\n${encodeHead(head)}`],
      add,
    );
    if (written.isErr()) {
      if (written.error.error.outcome === 'not_applied') void this.#index.clear(call, key);
      return err(failed(key)(written.error));
    }
    const [outcome, birth, created] = written.value;
    if (outcome === 'removed') await this.#index.clear(call, key);
    else if (outcome !== 'inserted' && outcome !== 'taken') return err(unreadable(key));
    const made = { birth: String(birth), sequence: 1 };
    const told =
      birth === undefined
        ? ok(undefined)
        : await this.#eventWriter.tell(call, key, made, { type: 'created', at: Number(created) });
    return told.map(() => (outcome === 'taken' ? 'taken' : 'inserted'));
  }

  find<E = never>(
    key: SessionKey,
    size: ReadSize = {},
    admit?: Admit<E>,
  ): Promise<Result<SessionRecord | undefined, StoreError | E>> {
    return this.#sessions.find(key, size, admit);
  }

  async findState(key: SessionKey): Reply<StateRecord | undefined> {
    const { record } = this.#keys.of(key);
    const text = await this.#connection.begin().read((client) => client.get(record));
    if (text.isErr()) return err(failed(key)(text.error));
    const decoded = text.value === null ? 'removed' : decodeState(text.value);
    if (decoded === undefined) return err(unreadable(key));
    return ok(decoded === 'removed' ? undefined : decoded.state);
  }

  list<E = never>(tenant: string, range: PageRange, admit?: Admit<E>): Promise<Result<RecordPage, StoreError | E>> {
    return this.#pages.read(tenant, range, admit);
  }

  async replace(key: SessionKey, next: StateRecord): Reply<'replaced' | 'stale' | 'missing'> {
    const call = this.#connection.begin();
    const { record, journal, names } = this.#keys.of(key);
    const { keys, args, add } = this.#index.beforeReplace(call, key, next);
    const { start, end } = encodeState(next);
    const written = await runListed(
      call,
      replaceScript,
      [record, journal, names, ...keys],
      [...args, newWriteId(), encodeRevision(next.revision - 1), start, end],
      add,
    );
    if (written.isErr()) {
      if (written.error.error.outcome === 'not_applied') void this.#index.dropStatus(call, key, next.status);
      return err(failed(key)(written.error));
    }
    const [outcome, birth, sequence, before] = written.value;
    if (outcome === 'stale' || outcome === 'missing') {
      void this.#index.dropStatus(call, key, next.status);
      return ok(outcome);
    }
    if (outcome !== 'replaced') return err(unreadable(key));
    const made = { birth: String(birth), sequence: Number(sequence) };
    const told = await this.#eventWriter.tell(call, key, made, tidingsOf(before === 'P', next));
    const status = statusOfLetter(String(before));
    if (status !== undefined && status !== next.status) await this.#index.dropStatus(call, key, status);
    // Until the event is told the deadline stays noted: a sweep then tells the end, should this process die before it.
    const isDone = next.status === 'TERMINATED' && next.deadline === Number.POSITIVE_INFINITY && told.isOk();
    if (isDone && next.limitMs !== Number.POSITIVE_INFINITY) await this.#index.reschedule(call, key);
    return told.map(() => outcome);
  }

  append(key: SessionKey, append: HistoryAppend): Reply<AppendOutcome> {
    return this.#historyWriter.append(key, append);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Reply<EntriesOutcome> {
    return this.#historyReader.read(key, slice);
  }

  async remove(key: SessionKey, { revision, now = Date.now() }: Removal = {}): Reply<'removed' | 'stale' | 'missing'> {
    const call = this.#connection.begin();
    this.#historyWriter.forget(key);
    const written = await this.#removals.remove(call, key, revision, now);
    if (written.isErr()) return err(failed(key)(written.error));
    const [outcome, birth, sequence] = written.value;
    if (outcome === 'stale') {
      void this.#removals.unlist(call, key, now);
      return ok(outcome);
    }
    if (outcome !== 'removed' && outcome !== 'missing') return err(unreadable(key));
    const made = { birth: String(birth), sequence: Number(sequence) };
    const [told] = await Promise.all([
      birth === undefined ? ok(undefined) : this.#eventWriter.tell(call, key, made, { type: 'deleted', at: now }),
      this.#index.clear(call, key),
      outcome === 'missing' && this.#removals.unlist(call, key, now),
    ]);
    return told.map(() => outcome);
  }

  due(now: number, limit: number): Reply<DueSessions> {
    return this.#due.read(now, limit);
  }

  purge(now: number, limit: number): Reply<number> {
    return this.#removals.purge(now, limit);
  }

  /**
   * Goes through all that this store keeps, and puts right what a hand, another program or a restored backup has left
   * wrong in its indexes. It scans: call it now and then, or after such an event, never in a request. Each of its steps
   * is bounded in time; the whole takes as long as there are sessions.
   */
  repair(): ResultAsync<RepairReport, StoreUnavailable> {
    return new ResultAsync(new Repair(this.#connection, this.#keys, this.#index, this.#removals, this.#sessions).run());
  }
}
