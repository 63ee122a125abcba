import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { DEFAULT_HISTORY_LIMIT, DEFAULT_PAGE_LIMIT, HISTORY_LIMIT, PAGE_LIMIT } from '../session/session-limits.js';
import { isSessionStatus, type SessionStatus } from '../session/session-status.js';
import type { HistorySlice, ListOrder, PageRange, ReadSize } from '../store/session-store.js';
import { readCursor } from './read-cursor.js';
import { checkFunction, readUpTo, readWhole } from './read-fields.js';
import { readLabelFilter } from './read-labels.js';
import { readKnown } from './read-options.js';
import { type IssueList, readSafely } from './read-safely.js';
import { readTimestamp } from './read-timestamp.js';

/** A filter whose status is that at the time of reading. */
export interface ListFilter extends Omit<PageRange, 'status' | 'now'> {
  readonly status?: SessionStatus | undefined;
}

/** A page to list; `page` is its number, absent with a cursor. */
export interface ReadQuery {
  readonly range: ListFilter;
  readonly page: number | undefined;
}

export const listOrders = ['newest', 'oldest', 'updated'] as const satisfies readonly ListOrder[];

const isOrder = (value: unknown): value is ListOrder => listOrders.some((order) => order === value);

export const readHistoryLimit = (issues: IssueList, historyLimit: unknown): ReadSize => ({
  historyLimit: historyLimit === undefined ? undefined : readWhole(issues, 'historyLimit', historyLimit, 0),
});

const queryNames = [
  'limit',
  'page',
  'order',
  'status',
  'label',
  'createdAfter',
  'createdBefore',
  'after',
  'historyLimit',
] as const;

type QueryFields = Readonly<Partial<Record<(typeof queryNames)[number], unknown>>>;

/** A `limit` above the maximum counts as the maximum. */
const readQuery = (issues: IssueList, fields: QueryFields, defaultLimit: number): ReadQuery => {
  const { limit: most = defaultLimit, page: number = 1, historyLimit, after } = fields;
  const { order, status, label, createdAfter, createdBefore } = fields;
  const limit = Math.min(readWhole(issues, 'limit', most, 1), PAGE_LIMIT);
  const page = readWhole(issues, 'page', number, 1);
  issues.check(after === undefined || fields.page === undefined, 'after', 'cannot be given with `page`');
  issues.check(order === undefined || isOrder(order), 'order', "must be 'newest', 'oldest' or 'updated'");
  issues.check(order !== 'updated' || label !== undefined, 'order', "can be 'updated' only with `label`");
  issues.check(status === undefined || isSessionStatus(status), 'status', 'must be IDLE, ACTIVE, PAUSED or TERMINATED');
  const range: ListFilter = {
    // No store has a page beyond the safe integers.
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit,
    ...readHistoryLimit(issues, historyLimit),
    status: isSessionStatus(status) ? status : undefined,
    labels: readLabelFilter(issues, label),
    order: isOrder(order) ? order : undefined,
    createdAfter: createdAfter === undefined ? undefined : readTimestamp(issues, 'createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : readTimestamp(issues, 'createdBefore', createdBefore),
    after: after === undefined ? undefined : readCursor(issues, 'after', after, order === 'updated'),
  };
  return { range, page: after === undefined ? page : undefined };
};

export const readGetOptions = (options: unknown): Result<ReadSize, InvalidInput> =>
  readSafely('options', (issues) => {
    const { historyLimit, admit } = readKnown(issues, 'options', options, ['historyLimit', 'admit']);
    checkFunction(issues, 'admit', admit);
    return readHistoryLimit(issues, historyLimit);
  });

export const readListQuery = (query: unknown, options: unknown = {}): Result<ReadQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    checkFunction(issues, 'admit', readKnown(issues, 'options', options, ['admit']).admit);
    return readQuery(issues, readKnown(issues, 'query', query, queryNames), DEFAULT_PAGE_LIMIT);
  });

/** Reads a query for `each`. Its default limit is the maximum. */
export const readEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  readSafely('query', (issues) => {
    const fields = readKnown(issues, 'query', query, queryNames);
    const { range } = readQuery(issues, fields, PAGE_LIMIT);
    issues.check(fields.page === undefined, 'page', 'is not allowed in `each`');
    return range;
  });

const readCount = (issues: IssueList, path: string, value: unknown = DEFAULT_HISTORY_LIMIT): number =>
  readUpTo(issues, path, value, HISTORY_LIMIT);

/** Reads a history query. A limit above the maximum is an error: a caller may rely on getting as many entries. */
export const readHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  readSafely('query', (issues) => {
    const { last, after, before, limit } = readKnown(issues, 'query', query, ['last', 'after', 'before', 'limit']);
    if (after === undefined && before === undefined) {
      const rule = 'needs `after` or `before`; use `last` for the latest entries';
      issues.check(limit === undefined, 'limit', rule);
      return { limit: readCount(issues, 'last', last) };
    }
    issues.check(last === undefined, 'last', 'cannot be given with `after` or `before`');
    issues.check(after === undefined || before === undefined, 'before', 'cannot be given with `after`');
    const count = readCount(issues, 'limit', limit);
    return before === undefined
      ? { after: readWhole(issues, 'after', after, 0), limit: count }
      : { before: readWhole(issues, 'before', before, 0), limit: count };
  });
