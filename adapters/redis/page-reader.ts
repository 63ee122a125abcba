import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import type { SessionRecord } from '../../src/session/record.js';
import { settle } from '../../src/session/timeline.js';
import type { Admit, ListPlace, PageRange, RecordPage, StatusAt, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import { escapeName, type Keyspace, unescapeName } from './keys.js';
import { endedScript, pageScript } from './page-scripts.js';
import { statusLetter } from './record-text.js';
import type { SessionIndex } from './session-index.js';
import type { SessionReader, SizedSession } from './session-reader.js';

/** Entries of deadlines that are looked at in one script. */
const ENDED_STEP = 1000;

/** Maximum number of entries of deadlines that one list by status looks at. */
const MAX_ENDED = 10_000;

const noStatuses = storeUnavailable('RedisSessionStore: lists by status need its option statusIndex', 'not_applied');

const tooManyEnded = storeUnavailable(
  'the clock has ended more sessions than one list by status can pass over; run a sweeper',
  'not_applied',
);

/** What an index by status does not know: sessions that the clock has ended. */
interface Corrections {
  /** Members that the index has and that do not count. */
  readonly without: readonly string[];
  /** Time of creation and member of each session that it does not have and that counts. */
  readonly added: readonly string[];
}

const noCorrections: Corrections = { without: [], added: [] };

const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

const argumentsOf = (
  { offset, limit, order, createdAfter, createdBefore, after }: PageRange,
  { without, added }: Corrections,
): readonly string[] => [
  order ?? 'newest',
  ...[timeText(createdAfter), timeText(createdBefore)],
  ...[timeText(after?.createdAt), after === undefined ? '' : escapeName(after.id)],
  ...[String(offset), String(limit), String(without.length)],
  ...without,
  ...added,
];

/** A session in an index. */
interface Listed extends SizedSession {
  readonly createdMs: number;
}

const FIELDS = 5;

const listedIn = (fields: readonly string[]): Listed[] => {
  const listed: Listed[] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [member = '', createdMs, recordBytes, journalBytes, mark = ''] = fields.slice(at, at + FIELDS);
    listed.push({
      member,
      createdMs: Number(createdMs),
      recordBytes: Number(recordBytes),
      journalBytes: Number(journalBytes),
      mark: mark === '-' ? '' : mark,
    });
  }
  return listed;
};

/** Nothing where a hand has put a time into the index that is none: `repair` mends it. */
const placeOf = (last: Listed | undefined): ListPlace | undefined => {
  const time = new Date(last?.createdMs ?? Number.NaN);
  return last === undefined || Number.isNaN(time.getTime())
    ? undefined
    : { id: unescapeName(last.member), createdAt: time.toISOString() };
};

/** Reads pages: a script finds the ids and how large the sessions are, then those are read that fit. */
export class PageReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #sessions: SessionReader;
  readonly #index: SessionIndex;

  constructor(connection: Connection, keys: Keyspace, sessions: SessionReader, index: SessionIndex) {
    this.#connection = connection;
    this.#keys = keys;
    this.#sessions = sessions;
    this.#index = index;
  }

  async read<E>(
    tenant: string,
    range: PageRange,
    admit: Admit<E> | undefined,
  ): Promise<Result<RecordPage, StoreError | E>> {
    const { status } = range;
    if (status !== undefined && !this.#index.hasStatuses) return err(noStatuses);
    const call = this.#connection.begin();
    const keys = this.#keys.tenant(tenant);
    const corrections = status === undefined ? ok(noCorrections) : await this.#correct(call, tenant, status);
    if (corrections.isErr()) return err(corrections.error);
    const index = status === undefined ? keys.index : this.#keys.status(tenant, status.status);
    const args = argumentsOf(range, corrections.value);
    const reply = await call.ask(pageScript, [index, keys.record, keys.journal], args);
    if (reply.isErr()) return err(reply.error.error);
    const [total, hasMore, ...fields] = String(reply.value).split(' ');
    const rising = listedIn(fields);
    const listed = range.order === 'oldest' ? rising : rising.toReversed();
    const read = await this.#sessions.read(call, tenant, listed, range, admit);
    if (read.isErr()) return err('refusal' in read.error ? read.error.refusal : read.error.failure.error);
    const records: SessionRecord[] = [];
    const unreadable: string[] = [];
    for (const [at, record] of read.value.entries()) {
      if (record === 'corrupt') unreadable.push(unescapeName(listed[at]?.member ?? ''));
      else if (record !== 'missing' && hasStatus(record, status)) records.push(record);
    }
    // Entries that do not fit their session: it was changed a moment ago, or a crash has left them.
    const stale = listed.length - records.length - unreadable.length;
    const next = Number(hasMore) === 1 ? placeOf(listed.at(-1)) : undefined;
    return ok({ records, total: Number(total) - stale, unreadable, ...(next === undefined ? {} : { next }) });
  }

  async #correct(call: Call, tenant: string, { status, now }: StatusAt): Promise<Result<Corrections, StoreError>> {
    const { deadlines, record } = this.#keys.tenant(tenant);
    const without: string[] = [];
    const added: string[] = [];
    for (let offset = 0; offset < MAX_ENDED; offset += ENDED_STEP) {
      const reply = await call.ask(endedScript, [deadlines, record], [String(now), String(offset), String(ENDED_STEP)]);
      if (reply.isErr()) return err(reply.error.error);
      const [count, ...fields] = String(reply.value).split(' ');
      for (let at = 0; at + 3 <= fields.length; at += 3) {
        const [member, letter, createdMs] = fields.slice(at, at + 3);
        if (member === undefined || createdMs === undefined) break;
        if (status === 'TERMINATED') added.push(createdMs, member);
        else if (letter === statusLetter(status)) without.push(member);
      }
      if (Number(count) < ENDED_STEP) return ok({ without, added });
    }
    return err(tooManyEnded);
  }
}

const hasStatus = ({ state }: SessionRecord, status: StatusAt | undefined): boolean =>
  status === undefined || settle(state, status.now).status === status.status;
