import { err, ok, type Result } from 'neverthrow';
import { positionNow } from '../events/log-cursor.js';
import { cursorOf, positionOfCursor } from '../input/cursor.js';
import { type ListFilter, parseListQuery } from '../input/list-query.js';
import { eachInPages, fittingPage } from '../session/each-in-pages.js';
import { type InvalidInput, pageTooLarge, storeUnavailable } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session, SessionLabels } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { SessionStatus } from '../session/session-status.js';
import { isSearch } from '../store/page-range.js';
import type { ListOrder, PageRange, RecordPage, SessionStore } from '../store/session-store.js';
import { checkPage } from './check-reads.js';
import type { SessionPage } from './operation-results.js';
import type { ReadOptions } from './read-session.js';
import { runOperation } from './run-operation.js';
import { searchTurnsOf, tooManySearches } from './search-turns.js';
import type { Settings } from './settings.js';

/**
 * A query for `each`.
 *
 * @example
 * ```ts
 * for await (const item of sessions.each({
 *   createdAfter: '2026-01-01T00:00:00Z',
 *   createdBefore: new Date('2026-02-01T00:00:00Z'),
 *   status: ['ACTIVE', 'PAUSED'],
 *   order: 'oldest',
 *   limit: 50,
 * }))
 *   console.info(item.isOk() ? item.value.id : item.error.message);
 * ```
 */
export interface EachQuery {
  /** Number of sessions in one read, from 1; above 100 it counts as 100. Default: 100. */
  readonly limit?: number | undefined;
  /**
   * Order by the time of creation: `newest` or `oldest` first. Or `updated`: by `updatedAt`, the
   * latest first. With `updated`, a session that is used while you read page after page moves to
   * the front: if you have not read it yet, you miss it. Default: `newest`.
   */
  readonly order?: ListOrder | undefined;
  /**
   * Only sessions with this status now, or with one of these. After its deadline a session is
   * TERMINATED.
   */
  readonly status?: SessionStatus | readonly SessionStatus[] | undefined;
  /**
   * Only sessions with all of these labels, 1 to 8, for example `{ user: 'u-1', channel: 'web' }`.
   * A list by several labels, with `status` or in the order `updated` examines all sessions between
   * the times that have the label with the fewest of them. In the order `updated` without labels,
   * it examines all that have the status. More than 10,000 fail with `search_too_large`. A list by
   * one label or by status alone, in another order, has no such limit.
   */
  readonly labels?: SessionLabels | undefined;
  /** Only sessions created later than this time, exclusive: RFC 3339 with any offset, or a Date. */
  readonly createdAfter?: string | Date | undefined;
  /**
   * Only sessions created earlier than this time, exclusive: RFC 3339 with any offset, or a Date.
   */
  readonly createdBefore?: string | Date | undefined;
  /** Only sessions after this cursor: the `nextCursor` of a page. */
  readonly cursor?: string | undefined;
  /**
   * Maximum number of the latest entries of each history, from 0; `historyCount` is the number of
   * all. Default: all.
   */
  readonly historyLimit?: number | undefined;
}

/**
 * A query for `list`: a page by its number, or by a cursor.
 *
 * @example
 * ```ts
 * const first = await sessions.orThrow.list({ limit: 20, page: 1, order: 'updated' });
 * console.log(first.total, first.nextCursor); // 1 undefined
 * ```
 *
 * @example
 * ```ts
 * let cursor: string | undefined;
 * do {
 *   const page = await sessions.orThrow.list({ limit: 50, ...(cursor && { cursor }) });
 *   for (const { id, status } of page.sessions) console.info(id, status);
 *   cursor = page.nextCursor;
 * } while (cursor);
 * ```
 */
export interface ListQuery extends EachQuery {
  /** Number of sessions on a page, from 1; above 100 it counts as 100. Default: 10. */
  readonly limit?: number | undefined;
  /** Page number, from 1; not with `cursor`. A page past the end is empty. Default: 1. */
  readonly page?: number | undefined;
}

/**
 * Options of `list`.
 *
 * @example
 * ```ts
 * const page = await sessions.orThrow.list({ historyLimit: 0 }, { withWatchCursor: true });
 * const { watchCursor: cursor = '0' } = page;
 * await sessions.orThrow.pause(id);
 * for await (const { type } of sessions.orThrow.watchAll({ cursor }))
 *   if (type === 'session.paused') break;
 * ```
 */
export interface ListOptions extends ReadOptions {
  /**
   * Add the `watchCursor` from which `watchAll` continues after the page. Costs a read of the clock
   * of the store, before the page. Default: false.
   */
  readonly withWatchCursor?: boolean | undefined;
}

type Page = Awaited<ReturnType<SessionStore['page']>>;

const searchIn = async (store: SessionStore, tenant: string, range: PageRange): Promise<Page> => {
  const page = await searchTurnsOf(store).run(tenant, () => store.page(tenant, range));
  return page ?? err(tooManySearches);
};

/**
 * Reads a page of the store. A single session may be larger than a page of several. It is then read
 * again with a bound that leaves room for its growth, because only a session that is alone has no
 * other bound than that of the caller.
 */
const readBounded = async (
  { store, tenant, policy: { limits } }: Settings,
  range: PageRange,
  { maxBytes: most = Number.MAX_SAFE_INTEGER }: ReadOptions,
): Promise<Result<RecordPage, OperationErrors['list']>> => {
  const { pageBytes } = limits;
  let maxBytes = range.limit === 1 ? most : Math.min(pageBytes, most);
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const bounded = { ...range, maxBytes };
    const answer = isSearch(range)
      ? await searchIn(store, tenant, bounded)
      : await store.page(tenant, bounded);
    if (answer.isOk()) return ok(answer.value);
    const { error } = answer;
    if (error.type !== 'too_large') return err(error);
    const { bytes, sessions } = error;
    if (sessions > 1 && bytes > pageBytes) return err(pageTooLarge(bytes, pageBytes));
    if (bytes > most) return err(pageTooLarge(bytes, most));
    maxBytes = Math.min(2 * bytes, most);
  }
  return err(storeUnavailable('the session kept growing while it was read', 'not_applied'));
};

const readPage = async (
  settings: Settings,
  filter: ListFilter,
  options: ReadOptions = {},
): Promise<Result<SessionPage, OperationErrors['list']>> => {
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const { statuses, ...rest } = filter;
  const status = statuses && { anyOf: statuses, now: time.value };
  const range = { ...rest, status, ...(filter.order === 'updated' && { now: time.value }) };
  const answer = await readBounded(settings, range, options);
  if (answer.isErr()) return err(answer.error);
  const { records, total, unreadable, nextCursor } = answer.value;
  return checkPage(settings.policy, {
    sessions: records.map((record) => sessionAt(record, time.value)),
    total,
    limit: filter.limit,
    ...(nextCursor && { nextCursor: cursorOf(nextCursor, filter.order === 'updated') }),
    unreadable,
  });
};

export const listSessions = async (
  settings: Settings,
  query: unknown,
  options: ListOptions,
): Promise<Result<SessionPage, OperationErrors['list']>> => {
  const input = parseListQuery(query, options);
  if (input.isErr()) return err(input.error);
  if (options.withWatchCursor !== true) return readPage(settings, input.value, options);
  // Read the cursor first, so that a change between the reads appears in at least one of them.
  const now = await positionNow(settings);
  if (now.isErr()) return err(now.error);
  const watchCursor = now.value;
  const listed = await readPage(settings, input.value, options);
  return listed.map((found) => ({ ...found, ...(watchCursor !== undefined && { watchCursor }) }));
};

/** Iterates over all of a tenant's sessions. The first read happens with the first `next`. */
export function eachSession<T extends SessionSchemas>(
  settings: Settings,
  filter: Result<ListFilter, InvalidInput>,
): AsyncGenerator<Result<Session<T>, OperationErrors['list']>, void>;
export async function* eachSession(
  settings: Settings,
  filter: Result<ListFilter, InvalidInput>,
): AsyncGenerator<Result<Session, OperationErrors['list']>, void> {
  if (filter.isErr()) {
    yield err(filter.error);
    return;
  }
  const range = filter.value;
  const isByUpdate = range.order === 'updated';
  const first = { limit: range.limit, cursor: range.cursor && cursorOf(range.cursor, isByUpdate) };
  yield* eachInPages(first, (most, text) => {
    // `''` is never a cursor, so it means none.
    const cursor = positionOfCursor(text ?? '', isByUpdate);
    return runOperation(settings, 'each', () =>
      fittingPage(most, (limit) => readPage(settings, { ...range, limit, cursor })),
    );
  });
}
