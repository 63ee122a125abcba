import { err, ok, type Result } from 'neverthrow';
import type { ListError } from '../errors.js';
import {
  corruptRecord,
  type InvalidInput,
  type PageTooLarge,
  pageTooLarge,
  type StoreUnavailable,
  storeUnavailable,
} from '../errors.js';
import { cursorOf, placeOf } from '../input/cursor.js';
import { type ListFilter, readListQuery } from '../input/list-input.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/timeline.js';
import type { SessionStatus } from '../status.js';
import type { Admit, ListOrder } from '../store.js';
import { perform } from './perform.js';
import type { Settings } from './settings.js';

/** Which sessions to walk through, and in which order. */
export interface EachQuery {
  /** Sessions that are read at a time, from 1; above 100 is taken as 100. Default: 100. */
  readonly limit?: number;
  /** By the time of creation. Default: `newest`. */
  readonly order?: ListOrder;
  /**
   * Only sessions with this status now: one whose time has run out is TERMINATED. `RedisSessionStore` needs its option
   * `statusIndex` for it.
   */
  readonly status?: SessionStatus;
  /** Only sessions created later than this, to the millisecond: RFC 3339 in any offset, or a Date. */
  readonly createdAfter?: string | Date;
  /** Only sessions created earlier than this, to the millisecond: RFC 3339 in any offset, or a Date. */
  readonly createdBefore?: string | Date;
  /** Only sessions behind this cursor, which is the `next` of a page. */
  readonly after?: string;
  /** At most so many of the latest entries of each history, from 0; `historyCount` tells how many there are. Default: all. */
  readonly historyLimit?: number;
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

/** What `get` and `list` take beside what is asked for. */
export interface ReadOptions {
  /**
   * Asked once the size of the answer is known, in bytes of JSON, and before it is read. `false` refuses it: the answer
   * is `store_unavailable`, `not_applied`. For hosts that bound what they hold in memory at a time.
   */
  readonly admit?: (bytes: number) => boolean;
}

/** Whether the caller has room for an answer. */
export const admittedBy =
  ({ admit }: ReadOptions): Admit<StoreUnavailable> =>
  (bytes) =>
    admit === undefined || admit(bytes)
      ? undefined
      : storeUnavailable('too many large answers are being prepared; try again', 'not_applied');

/** Whether a page fits its budget, and the caller has room for it. One session alone always fits. */
const admission = (pageBytes: number, options: ReadOptions): Admit<PageTooLarge | StoreUnavailable> => {
  const admitted = admittedBy(options);
  return (bytes, sessions) =>
    sessions > 1 && bytes > pageBytes ? pageTooLarge(bytes, pageBytes) : admitted(bytes, sessions);
};

const readPage = async (
  { store, tenant, now, policy: { limits } }: Settings,
  filter: ListFilter,
  page?: number,
  options: ReadOptions = {},
): Promise<Result<SessionPage, ListError>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const range = { ...filter, status: filter.status && { status: filter.status, now: time.value } };
  const answer = await store.list(tenant, range, admission(limits.pageBytes, options));
  if (answer.isErr()) return err(answer.error);
  const { records, total, unreadable, next } = answer.value;
  return ok({
    sessions: records.map((record) => sessionAt(record, time.value)),
    total,
    limit: filter.limit,
    ...(page === undefined ? {} : { page }),
    ...(next === undefined ? {} : { next: cursorOf(next) }),
    unreadable,
  });
};

export const listSessions = async (
  settings: Settings,
  query: unknown,
  options: ReadOptions,
): Promise<Result<SessionPage, ListError>> => {
  const input = readListQuery(query, options);
  return input.isErr() ? err(input.error) : readPage(settings, input.value.range, input.value.page, options);
};

/**
 * A page of a walk. How many sessions are read at a time changes nothing for its caller, so one that would be too large is
 * read again with half as many.
 */
const readFittingPage = async (settings: Settings, range: ListFilter): Promise<Result<SessionPage, ListError>> => {
  const listed = await readPage(settings, range);
  if (listed.isOk() || listed.error.type !== 'page_too_large' || range.limit === 1) return listed;
  return readFittingPage(settings, { ...range, limit: Math.ceil(range.limit / 2) });
};

/** All of a tenant's sessions, page after page. Nothing is read of the store before the first session is asked for. */
export async function* eachSession(
  settings: Settings,
  filter: Result<ListFilter, InvalidInput>,
): AsyncGenerator<Result<Session, ListError>, void> {
  if (filter.isErr()) {
    yield err(filter.error);
    return;
  }
  let range = filter.value;
  for (let last = range.after && cursorOf(range.after); ; ) {
    const operation = { name: 'each', outcome: 'not_applied' } as const;
    const page = await perform(settings, operation, () => readFittingPage(settings, range));
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    const { sessions, unreadable, next, limit } = page.value;
    for (const session of sessions) yield ok(session);
    for (const id of unreadable) yield err(corruptRecord(id, 'it is left out of its page'));
    // A store that gives the same place again would never come to an end.
    if (next === undefined || next === last) return;
    last = next;
    range = { ...range, offset: 0, after: placeOf(next), limit: Math.min(2 * limit, filter.value.limit) };
  }
}
