import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import { Recent } from '../../src/recent.js';
import type { AppendOutcome, HistoryAppend, SessionKey, StoreError } from '../../src/store.js';
import type { Connection } from './connection.js';
import type { EventWriter } from './event-writer.js';
import { failed, unknownFormat } from './failure.js';
import { journalLines, lastMark, MARK_CHARACTERS } from './journal-text.js';
import type { Keyspace, SessionKeys } from './keys.js';
import { appendOutcome } from './replies.js';
import { announceScript, appendNamedScript, appendScript } from './scripts.js';

/** How long a journal was, and the id in its last mark. */
interface JournalEnd {
  readonly length: number;
  readonly id: string;
}

/** So many of them are remembered. */
const KNOWN_ENDS = 20_000;

type Reply = Promise<Result<AppendOutcome, StoreError>>;

/** 72 random bits: enough among the writes of one session. */
export const newWriteId = (): string => nanoid(12);

/** Adds to histories. */
export class JournalWriter {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #events: EventWriter;
  /**
   * How the journals ended that this process wrote to last: an append then searches for its own mark only in what came
   * since.
   */
  readonly #ends = new Recent<JournalEnd>(KNOWN_ENDS, () => 1);

  constructor(connection: Connection, keys: Keyspace, events: EventWriter) {
    this.#connection = connection;
    this.#keys = keys;
    this.#events = events;
  }

  append(key: SessionKey, append: HistoryAppend): Reply {
    const keys = this.#keys.of(key);
    const lines = journalLines(append.entries);
    if (append.operationId !== undefined) return this.#appendNamed(key, keys, append, append.operationId, lines);
    const known = this.#ends.get(keys.journal);
    return known === undefined
      ? this.#appendTo(key, keys, append, lines)
      : this.#appendBehind(known, key, keys, append, lines);
  }

  /** Tells how a journal ends that this process has just written. */
  knows(journal: string, end: JournalEnd): void {
    this.#ends.set(journal, end);
  }

  /** Forgets a journal that is removed. */
  forget(journal: string): void {
    this.#ends.delete(journal);
  }

  /** Asks how a journal ends that this process has not written to lately. */
  async #appendTo(key: SessionKey, keys: SessionKeys, append: HistoryAppend, lines: string): Reply {
    const end = this.#connection.endOfCall();
    const known = await this.#connection.read(async (client): Promise<JournalEnd> => {
      // Where its end cannot be told the journal is searched from its beginning.
      const tail = client.getrange(keys.journal, -MARK_CHARACTERS, -1).catch(() => '');
      const [length, end] = await Promise.all([client.strlen(keys.journal), tail]);
      return { length, id: lastMark(end).id };
    }, end);
    if (known.isErr()) return err(failed(key)(known.error));
    return this.#appendBehind(known.value, key, keys, append, lines, end);
  }

  async #appendBehind(
    known: JournalEnd,
    key: SessionKey,
    { state, journal }: SessionKeys,
    append: HistoryAppend,
    lines: string,
    end = this.#connection.endOfCall(),
  ): Reply {
    const id = newWriteId();
    const args = [String(append.now), String(known.length), id, lines, ...boundOf(append), known.id];
    const reply = await this.#connection.write(appendScript, [state, journal], args, end);
    if (reply.isErr()) return err(failed(key)(reply.error));
    return this.#read(key, journal, id, append, reply.value, end);
  }

  /** Announces and adds in one flight, and both again where another's append has come in between. */
  async #appendNamed(key: SessionKey, keys: SessionKeys, append: HistoryAppend, name: string, lines: string): Reply {
    const end = this.#connection.endOfCall();
    const strings = [keys.state, keys.journal, keys.names];
    const announcement = [String(append.now), name, String(Buffer.byteLength(lines))];
    const addition = [...announcement, lines, ...boundOf(append)];
    for (;;) {
      const [announced, reply] = await Promise.all([
        this.#connection.write(announceScript, strings, announcement, end),
        this.#connection.write(appendNamedScript, strings, addition, end),
      ]);
      if (reply.isErr()) return err(failed(key)(reply.error));
      if (reply.value !== 'moved') return this.#read(key, keys.journal, name, append, reply.value, end);
      if (announced.isErr()) return err(failed(key)(announced.error));
      if (performance.now() >= end) return err(storeUnavailable('others were faster each time', 'not_applied'));
    }
  }

  async #read(
    key: SessionKey,
    journal: string,
    id: string,
    { now }: HistoryAppend,
    reply: unknown,
    end: number,
  ): Reply {
    const { outcome, made } = appendOutcome(reply);
    if (outcome === undefined) return err(unknownFormat(key));
    if (outcome.outcome !== 'appended') return ok(outcome);
    const { position } = outcome;
    this.#ends.set(journal, { length: position, id });
    const told = await this.#events.tell(key, made, { type: 'appended', at: now, position }, end);
    return told.map(() => outcome);
  }
}

/** How many entries are added, and how many there may be. */
const boundOf = ({ entries, mostEntries }: HistoryAppend): readonly string[] => [
  String(entries.length),
  mostEntries === undefined ? '' : String(mostEntries),
];
