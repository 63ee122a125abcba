import { err, ok, type Result } from 'neverthrow';
import { chain } from '../answer.js';
import { type CorruptRecord, corruptRecord, type InvalidInput, type StoreUnavailable } from '../errors.js';
import { cursorOf } from '../input/cursor.js';
import { readEachQuery, readListQuery } from '../input/list-input.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/view.js';
import type { SessionStatus } from '../status.js';
import type { Answer, ListOrder, ListPlace, PageRange } from '../store.js';
import { perform } from './perform.js';
import type { Settings } from './settings.js';
import { sweepSessions } from './sweep-sessions.js';

/** Which sessions to walk through, and in which order. */
export interface EachQuery {
  /** Sessions that are read at a time, from 1; above 100 is taken as 100. Default: 100. */
  readonly limit?: number;
  /** By the time of creation. Default: `newest`. */
  readonly order?: ListOrder;
  /**
   * Only sessions with this status, those included whose time has just run out. `RedisSessionStore` needs its option
   * `statusIndex` for it.
   */
  readonly status?: SessionStatus;
  /** Only sessions created later than this, to the millisecond: RFC 3339 in any offset, or a Date. */
  readonly createdAfter?: string | Date;
  /** Only sessions created earlier than this, to the millisecond: RFC 3339 in any offset, or a Date. */
  readonly createdBefore?: string | Date;
  /** Only sessions behind this cursor, which is the `next` of a page. */
  readonly after?: string;
}

/** Which page of the list: by its number, or by the cursor that another page has given. */
export interface ListQuery extends EachQuery {
  /** Sessions on a page, from 1; above 100 is served as 100. Default: 10. */
  readonly limit?: number;
  /** From 1; not with `after`. Past the end is an empty page. Default: 1. */
  readonly page?: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** How many sessions of the status the tenant has between `createdAfter` and `createdBefore`, on whatever pages. */
  readonly total: number;
  /** The limit that was served. */
  readonly limit: number;
  /** The page that was served; not there where it was asked for with `after`. */
  readonly page?: number;
  /**
   * The cursor for the page behind this one, to be given as `after`; not there on the last page. It stands for a time of
   * creation and an id, so that sessions which come and go meanwhile make the next page neither skip nor repeat another.
   */
  readonly next?: string;
  /** Ids of this page whose records cannot be read; they are missing from `sessions`. */
  readonly unreadable: readonly string[];
}

export type ListError = InvalidInput | StoreUnavailable | CorruptRecord;

interface Read {
  readonly sessions: readonly Session[];
  readonly total: number;
  readonly unreadable: readonly string[];
  readonly next: ListPlace | undefined;
}

/** So many sessions whose time is up are written down at a time before a list by status. */
const SWEPT = 500;

/** So often a list is read again because sessions have ended: more than a million of them. */
const ROUNDS = 2500;

/**
 * The stored status of a session whose time is up is not its status. So what is due is written down, in the flight of the
 * list; where there was something, the list is read again. Every end is written once, and mostly by a sweeper.
 */
const readByStatus = async (settings: Settings, range: PageRange): Promise<Result<Read, ListError>> => {
  for (let round = 1; ; round += 1) {
    const [read, swept] = await Promise.all([readStored(settings, range), sweepSessions(settings, SWEPT)]);
    if (swept.isErr()) return err(swept.error);
    const { ended, deleted, failed, isFull } = swept.value;
    // What cannot be read is on no list by status; it may be another tenant's, and is not told of.
    const unavailable = failed.find(({ type }) => type === 'store_unavailable');
    if (unavailable !== undefined) return err(unavailable);
    const mayHaveMore = ended.length + deleted.length > 0 || (isFull && failed.length === 0);
    if (read.isErr() || !mayHaveMore || round === ROUNDS) return read;
  }
};

const readRange = (settings: Settings, range: PageRange): Answer<Read, ListError> =>
  range.status === undefined ? readStored(settings, range) : readByStatus(settings, range);

const readStored = ({ store, tenant, now }: Settings, range: PageRange): Answer<Read, ListError> =>
  chain(store.list(tenant, range), ({ records, total, unreadable, next }) =>
    now().map((at) => ({ sessions: records.map((record) => sessionAt(record, at)), total, unreadable, next })),
  );

/** Put together field by field: to spread what may be missing takes as long as the rest of a list in memory. */
const pageOf = ({ sessions, total, unreadable, next }: Read, limit: number, page: number | undefined): SessionPage => {
  const found: { -readonly [K in keyof SessionPage]: SessionPage[K] } = { sessions, total, limit, unreadable };
  if (page !== undefined) found.page = page;
  if (next !== undefined) found.next = cursorOf(next);
  return found;
};

/** One page of a tenant's sessions. */
export const listSessions = (settings: Settings, query: unknown): Answer<SessionPage, ListError> =>
  chain(readListQuery(query), ({ range, page }) =>
    chain(readRange(settings, range), (read) => ok(pageOf(read, range.limit, page))),
  );

async function* walk(settings: Settings, range: PageRange): AsyncGenerator<Result<Session, ListError>, void> {
  for (let { after } = range; ; ) {
    const read = await perform(ok(settings), 'each', () => readRange(settings, { ...range, after }), 'not_applied');
    if (read.isErr()) {
      yield err(read.error);
      return;
    }
    const { sessions, unreadable, next } = read.value;
    for (const session of sessions) yield ok(session);
    for (const id of unreadable) yield err(corruptRecord(id, 'it is left out of its page'));
    // A store that gives the same place again would never come to an end.
    if (next === undefined || (after && cursorOf(after) === cursorOf(next))) return;
    after = next;
  }
}

async function* refuse(error: InvalidInput): AsyncGenerator<Result<never, InvalidInput>, void> {
  yield err(error);
}

/** All of a tenant's sessions, page after page. The query is read now, and the first page when it is asked for. */
export const eachSession = (
  settings: Result<Settings, InvalidInput>,
  query: unknown,
): AsyncIterable<Result<Session, ListError>> =>
  settings
    .andThen((known) => readEachQuery(query).map((range) => walk(known, range)))
    .match<AsyncIterable<Result<Session, ListError>>>((sessions) => sessions, refuse);
