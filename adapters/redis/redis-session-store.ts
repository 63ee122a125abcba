import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { type StoreUnavailable, storeUnavailable } from '../../src/errors.js';
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
  StoreError,
} from '../../src/store.js';
import { type Call, Connection } from './connection.js';
import { DueReader } from './due-reader.js';
import { RedisEventLog } from './event-log.js';
import { EventWriter } from './event-writer.js';
import { afterWrite, failed, unreadable } from './failure.js';
import { HistoryReader } from './history-reader.js';
import { HistoryWriter, newWriteId } from './history-writer.js';
import { Keyspace } from './keys.js';
import { type RedisSessionStoreOptions, readStoreOptions } from './options.js';
import { PageReader } from './page-reader.js';
import { insertScript, removeScript, replaceScript } from './record-scripts.js';
import { decodeState, encodeHead, encodeOrigin, encodeState, statusOfLetter } from './record-text.js';
import { Removals } from './removals.js';
import { Repair, type RepairReport } from './repair.js';
import { SessionIndex } from './session-index.js';
import { SessionReader } from './session-reader.js';

type Reply<T> = Promise<Result<T, StoreError>>;

/** Maximum number of times that a script is sent because others have taken away what it needs. */
const MAX_ATTEMPTS = 5;

const busy = storeUnavailable('others kept changing what stands beside the session; try again', 'not_applied');

const fieldsOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : [reply]);

/**
 * Keeps sessions in Redis (6.2 or later) or Valkey, shared by any number of processes. Two strings hold a session: a
 * record that is replaced under its revision (`record-text.ts`), and a journal that only grows (`journal-text.ts`).
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
  readonly #repair: Repair;
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
    this.#repair = new Repair(this.#connection, this.#keys, this.#index, this.#removals);
  }

  async insert(tenant: string, head: SessionHead, state: StateRecord): Reply<'inserted' | 'taken'> {
    const key = { tenant, id: head.id };
    const { record, journal, names, index, deadlines, tenants, member, owner } = this.#keys.of(key);
    const call = this.#connection.begin();
    const writeId = newWriteId();
    const createdMs = Date.parse(head.createdAt);
    const { start, end } = encodeState(state);
    const keys = [record, journal, names, index, deadlines, tenants, ...this.#index.statusKeys(key, state.status)];
    const line = `${start}${encodeOrigin(writeId, state, createdMs)}${end}`;
    const note = this.#index.noteOfNew(state);
    const args = [line, `\n${encodeHead(head)}`, writeId, String(createdMs), member, owner, note];
    this.#index.addNew(call, key, { state, createdMs });
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const reply = await call.write(insertScript, keys, args);
      if (reply.isErr()) {
        const error = failed(key)(reply.error);
        if (error.type !== 'store_unavailable' || error.outcome === 'not_applied') void this.#index.dropAll(call, key);
        return err(error);
      }
      const [outcome, birth, created] = fieldsOf(reply.value);
      if (outcome === 'unlisted') this.#index.addMissing(call, key, { state, createdMs });
      else if (outcome === 'leftover')
        await this.#removals.clear(call, key).then(() => this.#index.addMissing(call, key, { state, createdMs }));
      else if (outcome === 'inserted' || outcome === 'taken') {
        if (birth === undefined) return ok(outcome);
        const made = { birth: String(birth), sequence: 1 };
        const told = await this.#eventWriter.tell(call, key, made, { type: 'created', at: Number(created) });
        return told.isErr() ? err(afterWrite(told.error)) : ok(outcome);
      } else return err(unreadable(key));
    }
    return err(busy);
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
    const { record, journal, deadlines, tenants, member, owner } = this.#keys.of(key);
    const call = this.#connection.begin();
    const { start, end } = encodeState(next);
    const expected = String(next.revision - 1).padStart(16, '0');
    const keys = [record, journal, deadlines, tenants, ...this.#index.statusKeys(key, next.status)];
    const args = [expected, start, end, newWriteId(), member, owner, this.#index.noteOfNext(next)];
    this.#index.addNext(call, key, next);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const reply = await call.write(replaceScript, keys, args);
      if (reply.isErr()) return err(failed(key)(reply.error));
      const [outcome, birth, sequence, before] = fieldsOf(reply.value);
      if (outcome === 'stale' || outcome === 'missing') {
        void this.#index.dropStatus(call, key, next.status);
        return ok(outcome);
      }
      if (outcome === 'replaced') {
        return this.#finishChange(
          call,
          key,
          next,
          { birth: String(birth), sequence: Number(sequence) },
          String(before),
        );
      }
      if (outcome !== 'unlisted') return err(unreadable(key));
      this.#index.addMissingNext(call, key, next);
    }
    return err(busy);
  }

  /** What follows the write of a state: its event, and entries that do not fit any more. */
  async #finishChange(
    call: Call,
    key: SessionKey,
    next: StateRecord,
    made: { readonly birth: string; readonly sequence: number },
    before: string,
  ): Reply<'replaced'> {
    const told = await this.#eventWriter.tell(call, key, made, tidingsOf(before === 'P', next));
    const status = statusOfLetter(before);
    if (status !== undefined && status !== next.status) await this.#index.dropStatus(call, key, status);
    if (told.isErr()) return err(afterWrite(told.error));
    if (
      next.status === 'TERMINATED' &&
      next.deadline === Number.POSITIVE_INFINITY &&
      next.limitMs !== Number.POSITIVE_INFINITY
    ) {
      await this.#index.reschedule(call, key);
    }
    return ok('replaced');
  }

  append(key: SessionKey, append: HistoryAppend): Reply<AppendOutcome> {
    return this.#historyWriter.append(key, append);
  }

  findEntries(key: SessionKey, slice: HistorySlice): Reply<EntriesOutcome> {
    return this.#historyReader.read(key, slice);
  }

  async remove(key: SessionKey, { revision, now = Date.now() }: Removal = {}): Reply<'removed' | 'stale' | 'missing'> {
    const { record, journal, names, removals, path } = this.#keys.of(key);
    this.#historyWriter.forget(journal);
    const call = this.#connection.begin();
    const expected = revision === undefined ? '' : String(revision).padStart(16, '0');
    const keys = [record, journal, removals, names];
    const writeId = newWriteId();
    const remember = () => call.send((client) => client.zadd(removals, String(now), path));
    let remembered = remember();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      // A server without memory for what remembers a removal can still remove.
      const isFull =
        attempt > 1 &&
        (await remembered).match(
          () => false,
          ({ code }) => code === 'OOM',
        );
      const reply = await call.write(removeScript, keys, [writeId, expected, path, isFull ? '1' : '']);
      if (reply.isErr()) return err(failed(key)(reply.error));
      const [outcome, birth, sequence] = fieldsOf(reply.value);
      if (outcome === 'unlisted') {
        if ((await remembered).isOk()) remembered = remember();
        continue;
      }
      if (outcome === 'stale') return ok(outcome);
      if (outcome !== 'removed' && outcome !== 'missing') return err(unreadable(key));
      const made = { birth: String(birth), sequence: Number(sequence) };
      const told =
        birth === undefined
          ? ok(undefined)
          : await this.#eventWriter.tell(call, key, made, { type: 'deleted', at: now });
      await this.#removals.clear(call, key);
      return told.isErr() ? err(afterWrite(told.error)) : ok(outcome);
    }
    return err(busy);
  }

  due(now: number, limit: number): Reply<DueSessions> {
    return this.#due.read(now, limit);
  }

  purge(now: number, limit: number): Reply<void> {
    return this.#removals.purge(now, limit);
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
