import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import { storeUnavailable } from '../../src/errors.js';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { EventWriter } from './event-writer.js';
import { failed, unreadable } from './failure.js';
import { appendScript, endScript, noteNameScript } from './journal-scripts.js';
import { encodeEntries } from './journal-text.js';
import type { Keyspace } from './keys.js';
import { decodeState } from './record-text.js';
import { runListed } from './run-listed.js';
import { newWriteId } from './write-id.js';

/** Maximum number of journals whose ends are remembered; all are forgotten when there would be more. */
const KNOWN_ENDS = 10_000;

/** Maximum number of attempts where a session is created again in between. */
const MAX_ATTEMPTS = 5;

/** Which session a journal belongs to, how long it was, and the write id in its last mark. */
interface JournalEnd {
  readonly birth: string;
  readonly length: number;
  readonly mark: string;
}

type Reply<T> = Promise<Result<T, StoreError>>;

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

  async append(key: SessionKey, append: HistoryAppend): Reply<AppendOutcome> {
    const call = this.#connection.begin();
    const { journal } = this.#keys.of(key);
    const lines = encodeEntries(append.entries);
    const writeId = newWriteId();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = this.#ends.get(journal);
      const end = known === undefined ? await this.#readEnd(call, key) : ok(known);
      if (end.isErr()) return err(end.error);
      if (end.value === 'missing') return ok({ outcome: 'missing' });
      const reply = await this.#send(call, key, append, writeId, lines, end.value);
      if (reply.isErr()) return err(failed(key)(reply.error));
      const [first, second, repeated] = reply.value;
      if (first === 'full') return ok({ outcome: 'full' });
      if (first === 'closed') {
        const decoded = decodeState(String(second));
        return typeof decoded === 'object' ? ok({ outcome: 'closed', state: decoded.state }) : err(unreadable(key));
      }
      if (first === 'missing' || first === 'reborn') {
        this.#ends.delete(journal);
        if (first === 'missing') return ok({ outcome: 'missing' });
        // Nothing was added to the session that is no more: the caller means the one that is there.
        continue;
      }
      const position = Number(first);
      if (!Number.isSafeInteger(position)) return err(unreadable(key));
      const { birth } = end.value;
      this.#remember(journal, Number(repeated) === 1 ? end.value : { birth, length: position, mark: writeId });
      const made = { birth, sequence: Number(second) };
      const told = await this.#events.tell(call, key, made, { type: 'appended', at: append.now, position });
      return told.map(() => ({ outcome: 'appended', position }));
    }
    return err(storeUnavailable('the session was created again and again while entries were added', 'not_applied'));
  }

  /** Forgets how the journal of a session ended that is removed. */
  forget(key: SessionKey): void {
    this.#ends.delete(this.#keys.of(key).journal);
  }

  async #readEnd(call: Call, key: SessionKey): Reply<JournalEnd | 'missing'> {
    const { record, journal } = this.#keys.of(key);
    const reply = await call.ask(endScript, [record, journal], []);
    if (reply.isErr()) return err(failed(key)(reply.error));
    if (reply.value === 'missing') return ok('missing');
    const [birth, length, mark]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
    return typeof birth === 'string' ? ok({ birth, length: Number(length), mark: String(mark) }) : err(unreadable(key));
  }

  #send(
    call: Call,
    key: SessionKey,
    { entries, now, operationId, mostEntries = Number.MAX_SAFE_INTEGER }: HistoryAppend,
    writeId: string,
    lines: string,
    { birth, length, mark }: JournalEnd,
  ) {
    const { record, journal, names } = this.#keys.of(key);
    const [time, added, most] = [String(now), String(entries.length), String(mostEntries)];
    const args = [birth, time, writeId, lines, added, most, String(length), mark];
    if (operationId === undefined) return runListed(call, appendScript, [record, journal], args, () => []);
    const keys = [record, journal, names];
    return runListed(call, appendScript, keys, [...args, operationId], () => [
      call.write(noteNameScript, keys, [birth, time, operationId, added, most]),
    ]);
  }

  #remember(journal: string, end: JournalEnd): void {
    if (this.#ends.size >= KNOWN_ENDS && !this.#ends.has(journal)) this.#ends.clear();
    this.#ends.set(journal, end);
  }
}
