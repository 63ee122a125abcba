import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import type { AppendOutcome, HistoryAppend, SessionKey, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { EventWriter } from './event-writer.js';
import { afterWrite, failed, unreadable } from './failure.js';
import { appendNamedScript, appendScript, endScript, ID_LENGTH, noteNameScript } from './journal-scripts.js';
import { encodeEntries } from './journal-text.js';
import type { Keyspace, SessionKeys } from './keys.js';
import { decodeState } from './record-text.js';

/** 72 random bits: enough among the writes of one session. */
export const newWriteId = (): string => nanoid(ID_LENGTH);

/** Maximum number of journals whose ends are remembered. */
const KNOWN_ENDS = 10_000;

/** Maximum number of attempts where a session is created again, or the note of a name is lost, in between. */
const MAX_ATTEMPTS = 5;

/** Which session a journal belongs to, how long it was, and the last characters of the id in its last mark. */
interface JournalEnd {
  readonly birth: string;
  readonly length: number;
  readonly mark: string;
}

type Reply = Promise<Result<AppendOutcome, StoreError>>;

/** Adds to histories. */
export class HistoryWriter {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #events: EventWriter;
  /**
   * How the journals ended that this process wrote to last. An append that arrives twice is sought behind that end, at a
   * cost that does not depend on the journal's length. Without it every append would ask for the end first.
   */
  readonly #ends = new Map<string, JournalEnd>();

  constructor(connection: Connection, keys: Keyspace, events: EventWriter) {
    this.#connection = connection;
    this.#keys = keys;
    this.#events = events;
  }

  async append(key: SessionKey, append: HistoryAppend): Reply {
    const call = this.#connection.begin();
    const keys = this.#keys.of(key);
    const lines = encodeEntries(append.entries);
    const writeId = append.operationId ?? newWriteId();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = this.#ends.get(keys.journal);
      const end = known ?? (await this.#readEnd(call, key, keys));
      if (end === 'missing') return ok({ outcome: 'missing' });
      if ('type' in end) return err(end);
      const reply = await this.#send(call, keys, append, writeId, lines, end);
      if (reply.isErr()) return err(failed(key)(reply.error));
      const [first, second]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [reply.value];
      if (first === 'unlisted') continue;
      if (first === 'reborn') {
        this.#ends.delete(keys.journal);
        // A session that was created again before this call is the one that the caller means.
        if (known !== undefined && Number(second) <= append.now) continue;
        return ok({ outcome: 'missing' });
      }
      if (first === 'missing') {
        this.#ends.delete(keys.journal);
        return ok({ outcome: 'missing' });
      }
      if (first === 'full') return ok({ outcome: 'full' });
      if (first === 'closed') {
        const decoded = decodeState(String(second));
        return typeof decoded === 'object' ? ok({ outcome: 'closed', state: decoded.state }) : err(unreadable(key));
      }
      const position = Number(first);
      if (first === 'corrupt' || !Number.isSafeInteger(position)) return err(unreadable(key));
      this.#remember(keys.journal, {
        birth: end.birth,
        length: position,
        mark: `${lines}"${writeId}`.slice(-ID_LENGTH),
      });
      const made = { birth: end.birth, sequence: Number(second) };
      const told = await this.#events.tell(call, key, made, { type: 'appended', at: append.now, position });
      return told.isErr() ? err(afterWrite(told.error)) : ok({ outcome: 'appended', position });
    }
    return err(storeUnavailable('the session was created again and again while entries were added', 'not_applied'));
  }

  /** Forgets a journal that is deleted. */
  forget(journal: string): void {
    this.#ends.delete(journal);
  }

  /** Which session there is, and how its journal ends. */
  async #readEnd(
    call: Call,
    key: SessionKey,
    { record, journal }: SessionKeys,
  ): Promise<JournalEnd | 'missing' | StoreError> {
    const reply = await call.ask(endScript, [record, journal], []);
    if (reply.isErr()) return failed(key)(reply.error);
    if (reply.value === 'missing') return 'missing';
    const [birth, length, mark]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
    return typeof birth === 'string' ? { birth, length: Number(length), mark: String(mark) } : unreadable(key);
  }

  async #send(
    call: Call,
    { record, journal, names }: SessionKeys,
    { entries, now, operationId, mostEntries = Number.MAX_SAFE_INTEGER }: HistoryAppend,
    writeId: string,
    lines: string,
    end: JournalEnd,
  ) {
    const added = String(entries.length);
    const most = String(mostEntries);
    if (operationId === undefined) {
      const args = [end.birth, String(now), writeId, lines, added, most, String(end.length), end.mark];
      return call.write(appendScript, [record, journal], args);
    }
    const keys = [record, journal, names];
    // In one flight: the note stands before the lines do.
    void call.write(noteNameScript, keys, [end.birth, String(now), operationId, added, most]);
    return call.write(appendNamedScript, keys, [end.birth, String(now), operationId, lines, added, most]);
  }

  #remember(journal: string, end: JournalEnd): void {
    this.#ends.delete(journal);
    this.#ends.set(journal, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > KNOWN_ENDS && oldest !== undefined) this.#ends.delete(oldest);
  }
}
