import { err, ok, type Result } from 'neverthrow';
import type { SessionRecord } from '../../src/session/record.js';
import type { Admit, ReadSize, SessionKey, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import { type Failure, failed, unreadable } from './failure.js';
import { type DecodedJournal, decodeJournal, decodeMark, decodeTail } from './journal-text.js';
import { type Keyspace, unescapeName } from './keys.js';
import { sizeScript } from './page-scripts.js';
import { decodeHead, decodeState } from './record-text.js';

/** A session as it was read: `missing` if there is none, `corrupt` if it cannot be read. */
export type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** A session that is to be read, and how large it is. */
export interface SizedSession {
  readonly member: string;
  readonly recordBytes: number;
  readonly journalBytes: number;
  /** The end of its journal's last mark. */
  readonly mark: string;
}

type Text = string | null | undefined;
type Reading<E> = Promise<Result<readonly ReadRecord[], { readonly refusal: E } | { readonly failure: Failure }>>;

/** Bytes of a journal that are read for each entry that is wanted; where they are too few, more are read. */
const ENTRY_BYTES = 512;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The session that a record and what its journal holds make. */
const recordOf = (member: string, record: Text, journal: DecodedJournal | undefined): ReadRecord => {
  const decoded = typeof record === 'string' ? decodeState(record) : undefined;
  if (typeof record !== 'string') return record === null && journal?.count === 0 ? 'missing' : 'corrupt';
  if (decoded === 'removed') return 'missing';
  const head = decodeHead(unescapeName(member), record);
  if (decoded === undefined || head === undefined || journal === undefined) return 'corrupt';
  const { entries, appends, count } = journal;
  return { head, state: decoded.state, history: entries, historyCount: count, sequence: decoded.changes + appends };
};

/** Reads records and journals, no more of them than is asked for and admitted. */
export class SessionReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** One session, or nothing. */
  async find<E>(
    key: SessionKey,
    size: ReadSize,
    admit: Admit<E> | undefined,
  ): Promise<Result<SessionRecord | undefined, StoreError | E>> {
    const call = this.#connection.begin();
    const { record, journal, member } = this.#keys.of(key);
    let session: SizedSession = { member, recordBytes: 0, journalBytes: 0, mark: '' };
    if (admit !== undefined || size.historyLimit !== undefined) {
      const sizes = await call.ask(sizeScript, [record, journal], []);
      if (sizes.isErr()) return err(failed(key)(sizes.error));
      const [recordBytes, journalBytes, mark]: readonly unknown[] = Array.isArray(sizes.value) ? sizes.value : [];
      session = { member, recordBytes: Number(recordBytes), journalBytes: Number(journalBytes), mark: String(mark) };
    }
    const read = await this.read(call, key.tenant, [session], size, admit);
    if (read.isErr()) return err('refusal' in read.error ? read.error.refusal : failed(key)(read.error.failure));
    const [found] = read.value;
    if (found === 'corrupt') return err(unreadable(key));
    return ok(found === 'missing' ? undefined : found);
  }

  /** Sessions of one tenant, in the order in which they are given. */
  async read<E>(
    call: Call,
    tenant: string,
    sessions: readonly SizedSession[],
    { historyLimit }: ReadSize,
    admit: Admit<E> | undefined,
  ): Reading<E> {
    if (sessions.length === 0) return ok([]);
    if (historyLimit !== undefined) return this.#readLatest(call, tenant, sessions, historyLimit, admit);
    const refusal = admit?.(sum(sessions.map((each) => each.recordBytes + each.journalBytes)), sessions.length);
    if (refusal !== undefined) return err({ refusal });
    const { record, journal } = this.#keys.tenant(tenant);
    const keys = sessions.flatMap(({ member }) => [record + member, journal + member]);
    const texts = await call.read((client) => client.mget(...keys));
    if (texts.isErr()) return err({ failure: texts.error });
    return ok(
      sessions.map(({ member }, at) =>
        recordOf(member, texts.value[2 * at], decodeJournal(texts.value[2 * at + 1] ?? '')),
      ),
    );
  }

  /** The records, and of each journal the bytes at its end in which its latest entries are. */
  async #readLatest<E>(
    call: Call,
    tenant: string,
    sessions: readonly SizedSession[],
    limit: number,
    admit: Admit<E> | undefined,
  ): Reading<E> {
    const keys = this.#keys.tenant(tenant);
    const recordBytes = sum(sessions.map((session) => session.recordBytes));
    const journals = sessions.map(({ mark }): DecodedJournal | undefined =>
      mark === '' ? { entries: [], appends: 0, count: 0 } : withoutEntries(mark),
    );
    const isComplete = (journal: DecodedJournal | undefined): boolean =>
      journal === undefined || journal.entries.length >= Math.min(limit, journal.count);
    for (let bytes = (limit + 1) * ENTRY_BYTES; ; bytes *= 4) {
      const incomplete = [...journals.keys()].filter((at) => !isComplete(journals[at]));
      const journalBytes = sum(incomplete.map((at) => Math.min(bytes, sessions[at]?.journalBytes ?? 0)));
      const refusal = admit?.(recordBytes + journalBytes, sessions.length);
      if (refusal !== undefined) return err({ refusal });
      if (incomplete.length === 0) break;
      for (const [at, journal] of await Promise.all(
        incomplete.map(
          async (at) => [at, await this.#readTail(call, keys.journal, sessions[at], bytes, limit)] as const,
        ),
      )) {
        if (journal === undefined) continue;
        if (journal.isErr()) return err({ failure: journal.error });
        journals[at] = journal.value;
      }
    }
    const records = await call.read((client) => client.mget(...sessions.map(({ member }) => keys.record + member)));
    if (records.isErr()) return err({ failure: records.error });
    return ok(sessions.map(({ member }, at) => recordOf(member, records.value[at], journals[at])));
  }

  async #readTail(
    call: Call,
    journal: string,
    session: SizedSession | undefined,
    bytes: number,
    limit: number,
  ): Promise<Result<DecodedJournal | undefined, Failure> | undefined> {
    if (session === undefined) return undefined;
    const isWhole = bytes >= session.journalBytes;
    const tail = await call.read((client) => client.getrange(journal + session.member, isWhole ? 0 : -bytes, -1));
    return tail.map((text) => {
      const decoded = isWhole ? decodeJournal(text) : decodeTail(text);
      return decoded && { ...decoded, entries: decoded.entries.slice(-limit) };
    });
  }
}

const withoutEntries = (mark: string): DecodedJournal | undefined => {
  const counts = decodeMark(mark);
  return counts && { entries: [], ...counts };
};
