import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { DEFAULT_HISTORY_LIMIT, DEFAULT_PAGE_LIMIT, HISTORY_LIMIT, PAGE_LIMIT } from '../limits.js';
import { isSessionStatus, type SessionStatus } from '../status.js';
import type { HistorySlice, ListOrder, PageRange, ReadSize } from '../store.js';
import { readCursor } from './cursor.js';
import { type IssueList, readSafely } from './issues.js';
import { readTimestamp } from './timestamp.js';
import { checkFunction, type Fields, readFields, readUpTo, readWhole } from './values.js';

/** Which sessions to list, by the status that they have when they are read. */
export interface ListFilter extends Omit<PageRange, 'status'> {
  readonly status?: SessionStatus | undefined;
}

/** Which page to list, and its number where it was asked for by that. */
export interface ReadQuery {
  readonly range: ListFilter;
  readonly page: number | undefined;
}

export const listOrders = ['newest', 'oldest'] as const satisfies readonly ListOrder[];

const isOrder = (value: unknown): value is ListOrder => listOrders.some((order) => order === value);

export const readHistoryLimit = (issues: IssueList, historyLimit: unknown): ReadSize => ({
  historyLimit: historyLimit === undefined ? undefined : readWhole(issues, 'historyLimit', historyLimit, 0),
});

/** `limit` above the most is served as the most. */
const readQuery = (issues: IssueList, fields: Fields, defaultLimit: number): ReadQuery => {
  const { limit: most = defaultLimit, page: number = 1, historyLimit, after } = fields;
  const { order, status, createdAfter, createdBefore } = fields;
  const limit = Math.min(readWhole(issues, 'limit', most, 1), PAGE_LIMIT);
  const page = readWhole(issues, 'page', number, 1);
  issues.check(after === undefined || fields['page'] === undefined, 'after', 'cannot be given with `page`');
  issues.check(order === undefined || isOrder(order), 'order', "must be 'newest' or 'oldest'");
  issues.check(status === undefined || isSessionStatus(status), 'status', 'must be IDLE, ACTIVE, PAUSED or TERMINATED');
  const range: ListFilter = {
    // Exact as long as whole numbers are; beyond that no store has a page.
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit,
    ...readHistoryLimit(issues, historyLimit),
    status: isSessionStatus(status) ? status : undefined,
    order: isOrder(order) ? order : undefined,
    createdAfter: createdAfter === undefined ? undefined : readTimestamp(issues, 'createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : readTimestamp(issues, 'createdBefore', createdBefore),
    after: after === undefined ? undefined : readCursor(issues, 'after', after),
  };
  return { range, page: after === undefined ? page : undefined };
};

const readReadOptions = (issues: IssueList, options: unknown): Fields => {
  const fields = readFields(issues, 'options', options);
  checkFunction(issues, 'admit', fields['admit']);
  return fields;
};

export const readGetOptions = (options: unknown): Result<ReadSize, InvalidInput> =>
  readSafely('options', (issues) => readHistoryLimit(issues, readReadOptions(issues, options)['historyLimit']));

export const readListQuery = (query: unknown, options: unknown = {}): Result<ReadQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    readReadOptions(issues, options);
    return readQuery(issues, readFields(issues, 'query', query), DEFAULT_PAGE_LIMIT);
  });

/** The same for all pages, which are as large as they may be unless the caller says otherwise. */
export const readEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  readSafely('query', (issues) => {
    const fields = readFields(issues, 'query', query);
    const { range } = readQuery(issues, fields, PAGE_LIMIT);
    issues.check(fields['page'] === undefined, 'page', 'is not for a walk over all pages');
    return range;
  });

const readCount = (issues: IssueList, path: string, value: unknown = DEFAULT_HISTORY_LIMIT): number =>
  readUpTo(issues, path, value, HISTORY_LIMIT);

/** Which part of a history to read. More at a time than the most is refused and not cut, for a caller may count on it. */
export const readHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  readSafely('query', (issues) => {
    const { last, after, limit } = readFields(issues, 'query', query);
    if (after === undefined) {
      const rule = 'is for a part behind a position: give `after` too, or `last` instead';
      issues.check(limit === undefined, 'limit', rule);
      return { last: readCount(issues, 'last', last) };
    }
    issues.check(last === undefined, 'last', 'cannot be given with `after`');
    return { after: readWhole(issues, 'after', after, 0), limit: readCount(issues, 'limit', limit) };
  });
