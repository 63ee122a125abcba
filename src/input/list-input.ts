import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT } from '../limits.js';
import { isSessionStatus, type SessionStatus } from '../status.js';
import type { ListOrder, PageRange, ReadSize } from '../store.js';
import { readCursor } from './cursor.js';
import { type IssueList, readSafely } from './issues.js';
import { readTimestamp } from './timestamp.js';
import { type Fields, isFields, readWhole } from './values.js';

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

/** Exact as long as whole numbers are; beyond that no store has a page. */
const offsetOf = (page: number, limit: number): number => Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);

const readFilters = (
  issues: IssueList,
  { order, status, createdAfter, createdBefore, after }: Fields,
): Omit<ListFilter, 'limit' | 'offset'> => {
  issues.check(order === undefined || isOrder(order), 'order', "must be 'newest' or 'oldest'");
  issues.check(status === undefined || isSessionStatus(status), 'status', 'must be IDLE, ACTIVE, PAUSED or TERMINATED');
  return {
    status: isSessionStatus(status) ? status : undefined,
    order: isOrder(order) ? order : undefined,
    createdAfter: createdAfter === undefined ? undefined : readTimestamp(issues, 'createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : readTimestamp(issues, 'createdBefore', createdBefore),
    after: after === undefined ? undefined : readCursor(issues, 'after', after),
  };
};

/** `limit` above the most is served as the most. */
const readFields = (issues: IssueList, query: unknown, defaultLimit: number): ReadQuery => {
  issues.check(isFields(query), 'query', 'must be an object');
  const fields: Fields = isFields(query) ? query : {};
  const { limit: most = defaultLimit, page: number = 1, historyLimit, after } = fields;
  const limit = Math.min(readWhole(issues, 'limit', most, 1), PAGE_LIMIT);
  const page = readWhole(issues, 'page', number, 1);
  issues.check(after === undefined || fields['page'] === undefined, 'after', 'cannot be given with `page`');
  const range: ListFilter = {
    offset: offsetOf(page, limit),
    limit,
    ...readHistoryLimit(issues, historyLimit),
    ...readFilters(issues, fields),
  };
  return { range, page: after === undefined ? page : undefined };
};

/** How much of a history to read. */
export const readHistoryLimit = (issues: IssueList, historyLimit: unknown): ReadSize => ({
  historyLimit: historyLimit === undefined ? undefined : readWhole(issues, 'historyLimit', historyLimit, 0),
});

/** What a caller says of an answer that may be large. */
const checkReadOptions = (issues: IssueList, options: unknown): Fields => {
  issues.check(isFields(options), 'options', 'must be an object');
  const fields: Fields = isFields(options) ? options : {};
  issues.check(fields['admit'] === undefined || typeof fields['admit'] === 'function', 'admit', 'must be a function');
  return fields;
};

/** How much of one session's history to read. */
export const readGetOptions = (options: unknown): Result<ReadSize, InvalidInput> =>
  readSafely('options', (issues) => readHistoryLimit(issues, checkReadOptions(issues, options)['historyLimit']));

export const readListQuery = (query: unknown, options: unknown = {}): Result<ReadQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    checkReadOptions(issues, options);
    return readFields(issues, query, DEFAULT_PAGE_LIMIT);
  });

/** The same for all pages, which are as large as they may be unless the caller says otherwise. */
export const readEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  readSafely('query', (issues) => {
    const { range } = readFields(issues, query, PAGE_LIMIT);
    issues.check(!isFields(query) || query['page'] === undefined, 'page', 'is not for a walk over all pages');
    return range;
  });
