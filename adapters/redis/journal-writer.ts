import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { corruptRecord, storeUnavailable } from '../../src/errors.js';
import { Recent } from '../../src/recent.js';
import type { AppendOutcome, HistoryAppend, SessionKey, StoreError } from '../../src/store.js';
import type { Connection } from './connection.js';
import { failed } from './failure.js';
import { journalLines, writeMark } from './journal-text.js';
import type { Keyspace, SessionKeys } from './keys.js';
import { appendOutcome } from './replies.js';
import { announceScript, appendNamedScript, appendScript } from './scripts.js';

/** So many lengths are remembered. */
const KNOWN_LENGTHS = 20_000;

const NO_STATE = 'its state is of no format that this version knows';

type Reply = Promise<Result<AppendOutcome, StoreError>>;

/** 72 random bits: enough among the writes of one session. */
export const newWriteId = (): string => nanoid(12);

/** Adds to histories. */
export class JournalWriter {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  /**
   * How long the journals were that this process wrote to last: an append then searches for its own mark only in what
   * came since.
   */
  readonly #lengths = new Recent<number>(KNOWN_LENGTHS, () => 1);

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  append(key: SessionKey, append: HistoryAppend): Reply {
    const keys = this.#keys.of(key);
    const { entries, now, operationId } = append;
    if (operationId !== undefined) return this.#appendNamed(key, keys, append, operationId);
    const lines = journalLines(entries, newWriteId());
    const known = this.#lengths.get(keys.journal);
    return known === undefined
      ? this.#appendTo(key, keys, now, lines)
      : this.#appendBehind(known, key, keys, now, lines);
  }

  /** Tells how long a journal is that this process has just written. */
  knows(journal: string, length: number): void {
    this.#lengths.set(journal, length);
  }

  /** Forgets a journal that is removed. */
  forget(journal: string): void {
    this.#lengths.delete(journal);
  }

  /** Asks for the length of a journal that this process has not written to lately. */
  async #appendTo(key: SessionKey, keys: SessionKeys, now: number, lines: string): Reply {
    const end = this.#connection.endOfCall();
    const length = await this.#connection.read((client) => client.strlen(keys.journal), end);
    if (length.isErr()) return err(failed(key)(length.error));
    return this.#appendBehind(length.value, key, keys, now, lines, end);
  }

  async #appendBehind(
    known: number,
    key: SessionKey,
    { state, journal }: SessionKeys,
    now: number,
    lines: string,
    end?: number,
  ): Reply {
    const args = [String(now), String(known), lines];
    const reply = await this.#connection.write(appendScript, [state, journal], args, end);
    if (reply.isErr()) return err(failed(key)(reply.error));
    if (typeof reply.value === 'number') this.#lengths.set(journal, reply.value);
    return outcomeOf(key, reply.value);
  }

  /** Announces and adds in one flight, and both again where another's append has come in between. */
  async #appendNamed(key: SessionKey, keys: SessionKeys, { entries, now }: HistoryAppend, name: string): Reply {
    const end = this.#connection.endOfCall();
    const mark = writeMark(name);
    const lines = journalLines(entries, name);
    const strings = [keys.state, keys.journal, keys.names];
    const announcement = [String(now), name, mark, String(Buffer.byteLength(lines))];
    const addition = [String(now), name, mark, lines];
    for (;;) {
      const [announced, reply] = await Promise.all([
        this.#connection.write(announceScript, strings, announcement, end),
        this.#connection.write(appendNamedScript, strings, addition, end),
      ]);
      if (reply.isErr()) return err(failed(key)(reply.error));
      if (reply.value !== 'moved') return outcomeOf(key, reply.value);
      if (announced.isErr()) return err(failed(key)(announced.error));
      if (performance.now() >= end) return err(storeUnavailable('others were faster each time', 'not_applied'));
    }
  }
}

const outcomeOf = (key: SessionKey, reply: unknown): Result<AppendOutcome, StoreError> => {
  const outcome = appendOutcome(reply);
  return outcome === undefined ? err(corruptRecord(key.id, NO_STATE)) : ok(outcome);
};
