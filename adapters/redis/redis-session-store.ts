import { nanoid } from 'nanoid';
import { err, ok, Result, ResultAsync } from 'neverthrow';
import { corruptRecord, type StoreUnavailable } from '../../src/errors.js';
import { Recent } from '../../src/recent.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import type {
  AppendOutcome,
  DueSession,
  HistoryAppend,
  RecordPage,
  SessionKey,
  SessionStore,
  StoreError,
} from '../../src/store.js';
import { Connection } from './connection.js';
import type { Failure } from './failure.js';
import { journalLines, journalOf, writeMark } from './journal-text.js';
import { Keyspace, type SessionKeys } from './keys.js';
import { type RedisSessionStoreOptions, readOptions } from './options.js';
import { PageReader } from './page-reader.js';
import { RecordReader } from './record-reader.js';
import { Repair, type RepairReport } from './repair.js';
import { appendOutcome, dueSessions, insertOutcome, removeOutcome, replaceOutcome } from './replies.js';
import type { Script } from './script.js';
import { appendNamedScript, appendScript, insertScript, removeScript, replaceScript } from './scripts.js';
import { decodeState, encodeState, isGone } from './state-text.js';

/** So many lengths are remembered. */
const KNOWN_LENGTHS = 20_000;

type Reply<T> = Promise<Result<T, StoreError>>;

const NO_STATE = 'its state is of no format that this version knows';
const NO_SESSION = 'its state and its journal make no session';
const NO_STRING = 'a key of it is of another type';

const failed =
  ({ id }: SessionKey) =>
  ({ code, error }: Failure): StoreError =>
    code === 'WRONGTYPE' ? corruptRecord(id, NO_STRING) : error;

/** 72 random bits: enough among the writes of one session. */
const newWriteId = (): string => nanoid(12);

const deadlineOf = ({ deadline }: StateRecord): string =>
  deadline === Number.POSITIVE_INFINITY ? '' : String(deadline);

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
  readonly #records = new RecordReader();
  /**
   * How long the journals were that this process wrote to last: an append then searches for its own mark only in what
   * came since.
   */
  readonly #lengths = new Recent<number>(KNOWN_LENGTHS, () => 1);

  constructor(options: RedisSessionStoreOptions) {
    const settings = readOptions(options);
    this.#connection = new Connection(settings);
    this.#keys = settings.match(
      ({ prefix, partitions }) => new Keyspace(prefix, partitions),
      () => new Keyspace('', 1),
    );
    this.#pages = new PageReader(this.#connection, this.#keys, this.#records);
  }

  async insert(tenant: string, head: SessionHead, state: StateRecord): Reply<'inserted' | 'taken'> {
    const key = { tenant, id: head.id };
    const keys = this.#keys.of(key);
    const writeId = newWriteId();
    const journal = journalOf(head, writeId);
    const answer = await this.#write(
      key,
      insertScript,
      [keys.state, keys.journal, keys.index, keys.deadlines],
      [
        ...[encodeState(state), journal, String(Date.parse(head.createdAt))],
        ...[keys.member, deadlineOf(state), keys.due, writeId],
      ],
      insertOutcome,
    );
    return answer.andTee((outcome) => {
      if (outcome === 'inserted') this.#lengths.set(keys.journal, Buffer.byteLength(journal));
    });
  }

  async find(key: SessionKey): Reply<SessionRecord | undefined> {
    const keys = this.#keys.of(key);
    const strings = await this.#connection.read((client) => client.mget(keys.state, keys.journal));
    return strings.mapErr(failed(key)).andThen(([state, journal]): Result<SessionRecord | undefined, StoreError> => {
      const record = this.#records.readOf(key.id, state, journal);
      if (record === 'corrupt') return err(corruptRecord(key.id, NO_SESSION));
      return ok(record === 'missing' ? undefined : record);
    });
  }

  async findState(key: SessionKey): Reply<StateRecord | undefined> {
    const { state } = this.#keys.of(key);
    const text = await this.#connection.read((client) => client.get(state));
    return text.mapErr(failed(key)).andThen((found): Result<StateRecord | undefined, StoreError> => {
      if (found === null || isGone(found)) return ok(undefined);
      const decoded = decodeState(found);
      return decoded === undefined ? err(corruptRecord(key.id, NO_STATE)) : ok(decoded);
    });
  }

  list(tenant: string, page: { readonly offset: number; readonly limit: number }): Reply<RecordPage> {
    return this.#pages.read(tenant, page);
  }

  replace(key: SessionKey, next: StateRecord): Reply<'replaced' | 'stale' | 'missing'> {
    const keys = this.#keys.of(key);
    return this.#write(
      key,
      replaceScript,
      [keys.state, keys.deadlines, keys.journal, keys.copy],
      [
        ...[String(next.revision - 1), encodeState(next), newWriteId()],
        ...[deadlineOf(next), keys.due, next.status === 'TERMINATED' ? '1' : ''],
      ],
      replaceOutcome,
    );
  }

  append(key: SessionKey, { entries, now, operationId }: HistoryAppend): Reply<AppendOutcome> {
    const keys = this.#keys.of(key);
    if (operationId !== undefined) {
      const mark = writeMark(operationId);
      const args = [String(now), operationId, mark, journalLines(entries, operationId)];
      return this.#write(key, appendNamedScript, [keys.state, keys.journal, keys.names], args, appendOutcome);
    }
    const lines = journalLines(entries, newWriteId());
    const known = this.#lengths.get(keys.journal);
    return known === undefined
      ? this.#appendTo(key, keys, now, lines)
      : this.#appendBehind(known, key, keys, now, lines);
  }

  /** Asks for the length of a journal that this process has not written to lately. */
  async #appendTo(key: SessionKey, keys: SessionKeys, now: number, lines: string): Reply<AppendOutcome> {
    const end = this.#connection.endOfCall();
    const length = await this.#connection.read((client) => client.strlen(keys.journal), end);
    if (length.isErr()) return err(failed(key)(length.error));
    return this.#appendBehind(length.value, key, keys, now, lines, end);
  }

  #appendBehind(
    known: number,
    key: SessionKey,
    keys: SessionKeys,
    now: number,
    lines: string,
    end?: number,
  ): Reply<AppendOutcome> {
    const { state, journal } = keys;
    const args = [String(now), String(known), lines];
    return this.#write(
      key,
      appendScript,
      [state, journal],
      args,
      (reply) => {
        if (typeof reply === 'number') this.#lengths.set(journal, reply);
        return appendOutcome(reply);
      },
      end,
    );
  }

  async remove(key: SessionKey): Reply<'removed' | 'missing'> {
    const keys = this.#keys.of(key);
    this.#lengths.delete(keys.journal);
    return this.#write(
      key,
      removeScript,
      [keys.state, keys.journal, keys.names, keys.index, keys.deadlines],
      [keys.member, keys.due, newWriteId()],
      removeOutcome,
    );
  }

  async due(now: number, limit: number): Reply<readonly DueSession[]> {
    const partitions = Array.from({ length: this.#keys.partitions }, (_, partition) => this.#keys.deadlines(partition));
    const replies = await Promise.all(
      partitions.map((deadlines) =>
        this.#connection.read((client) =>
          client.zrangebyscore(deadlines, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit),
        ),
      ),
    );
    return Result.combine(replies)
      .map((found) => found.flatMap(dueSessions).sort((a, b) => a.deadline - b.deadline))
      .map((due) => due.slice(0, limit))
      .mapErr(({ error }) => error);
  }

  /**
   * Goes through all that this store keeps, and puts right what a hand, another program or a restored backup has left
   * wrong in its indexes. It scans: call it now and then, or after such an event, never in a request. Each of its steps
   * is bounded in time; the whole takes as long as there are sessions.
   */
  repair(): ResultAsync<RepairReport, StoreUnavailable> {
    return new ResultAsync(new Repair(this.#connection, this.#keys, this.#records).run());
  }

  /** Runs a script; a reply that `read` makes nothing of is of something that is no session. */
  #write<T>(
    key: SessionKey,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    read: (reply: unknown) => T | undefined,
    end?: number,
  ): Reply<T> {
    return this.#connection.write(script, keys, args, end).then((reply): Result<T, StoreError> => {
      if (reply.isErr()) return err(failed(key)(reply.error));
      const outcome = read(reply.value);
      return outcome === undefined ? err(corruptRecord(key.id, NO_STATE)) : ok(outcome);
    });
  }
}
