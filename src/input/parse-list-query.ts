import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import {
  DEFAULT_HISTORY_LIMIT,
  DEFAULT_PAGE_LIMIT,
  HISTORY_LIMIT,
  PAGE_LIMIT,
} from '../session/limits.js';
import { isSessionStatus, type SessionStatus, sessionStatuses } from '../session/session-status.js';
import type { HistorySlice, ListOrder, PageRange } from '../store/session-store.js';
import { asGiven, by, fieldsOf, inputOf, optional, withDefault } from './fields-of.js';
import type { IssueList } from './issue-list.js';
import { parseCursor } from './parse-cursor.js';
import { parseLimit, parseSwitch, parseWhole } from './parse-fields.js';
import { parseLabelFilter } from './parse-labels.js';
import { parseSafely } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';
import { listOrders } from './rule.js';

/** A filter without the time to which its statuses refer. */
export interface ListFilter extends Omit<PageRange, 'status' | 'now'> {
  readonly statuses?: readonly SessionStatus[] | undefined;
}

/** A page to list; `page` is its number, absent with a cursor. */
export interface ParsedQuery {
  readonly range: ListFilter;
  readonly page: number | undefined;
}

const isOrder = (value: unknown): value is ListOrder => listOrders.some((order) => order === value);

const parseOrder = (issues: IssueList, path: string, value: unknown): ListOrder | undefined => {
  if (isOrder(value)) return value;
  issues.check(value === undefined, path, "must be 'newest', 'oldest' or 'updated'");
  return undefined;
};

/** The parser of a maximum number of entries. */
export const historyLimit = optional(by(parseWhole, 0));

const maxBytes = optional(by(parseWhole, 1));

const statusNames = sessionStatuses.join(', ');

/** The statuses of a filter, which takes one or several. */
const parseStatuses = (
  issues: IssueList,
  path: string,
  value: unknown,
): readonly SessionStatus[] | undefined => {
  if (value === undefined) return undefined;
  if (isSessionStatus(value)) return [value];
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  issues.check(given.length > 0, path, `must be one or several of ${statusNames}`);
  for (const [at, status] of given.entries())
    issues.check(isSessionStatus(status), `${path}[${at}]`, `must be one of ${statusNames}`);
  return sessionStatuses.filter((status) => given.includes(status));
};

const time = optional(parseTimestamp);

/** The fields of a query. What a cursor is depends on the order. */
const queryFields = (defaultLimit: number) =>
  fieldsOf({
    limit: withDefault(defaultLimit, by(parseLimit, PAGE_LIMIT)),
    page: optional(by(parseWhole, 1)),
    order: parseOrder,
    status: parseStatuses,
    labels: optional(parseLabelFilter),
    createdAfter: time,
    createdBefore: time,
    cursor: asGiven,
    historyLimit,
  });

const parsePageQuery = queryFields(DEFAULT_PAGE_LIMIT);
const parseEachFields = queryFields(PAGE_LIMIT);

const parseQuery = (
  issues: IssueList,
  query: unknown,
  parse: ReturnType<typeof queryFields>,
): ParsedQuery => {
  const fields = parse(issues, 'query', query);
  const { page = 1, status: statuses, cursor, ...filter } = fields;
  // A page past the end is empty, so the bound has no effect.
  const offset = Math.min((page - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const range = { ...filter, statuses, offset };
  if (cursor === undefined) return { range, page };
  issues.check(fields.page === undefined, 'cursor', 'cannot be given with `page`');
  const position = parseCursor(issues, 'cursor', cursor, filter.order === 'updated');
  return { range: { ...range, cursor: position }, page: undefined };
};

export const parseGetOptions = inputOf('options', { historyLimit, maxBytes });

export const parseCreateOptions = inputOf('options', { maxBytes });

const parseListOptions = fieldsOf({ maxBytes, withWatchCursor: parseSwitch });

export const parseListQuery = (
  query: unknown,
  options: unknown = {},
): Result<ParsedQuery, InvalidInput> =>
  parseSafely('query', (issues) => {
    parseListOptions(issues, 'options', options);
    return parseQuery(issues, query, parsePageQuery);
  });

/** Parses a query for `each`. Its default limit is the maximum. */
export const parseEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  parseSafely('query', (issues) => {
    const { range } = parseQuery(issues, query, parseEachFields);
    const isNumbered = isFields(query) && query['page'] !== undefined;
    issues.check(!isNumbered, 'page', 'is not allowed in `each`');
    return range;
  });

const parseSlice = fieldsOf({
  last: optional(by(parseLimit, HISTORY_LIMIT)),
  after: optional(by(parseWhole, 0)),
  before: optional(by(parseWhole, 0)),
  limit: optional(by(parseLimit, HISTORY_LIMIT)),
});

export const parseHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  parseSafely('query', (issues) => {
    const { last, after, before, limit } = parseSlice(issues, 'query', query);
    const isPart = after !== undefined || before !== undefined;
    const rule = 'needs `after` or `before`; use `last` for the latest entries';
    issues.check(isPart || limit === undefined, 'limit', rule);
    const isAlone = !isPart || last === undefined;
    issues.check(isAlone, 'last', 'cannot be given with `after` or `before`');
    const isOne = after === undefined || before === undefined;
    issues.check(isOne, 'before', 'cannot be given with `after`');
    const slice = { limit: limit ?? last ?? DEFAULT_HISTORY_LIMIT };
    if (after !== undefined) return { ...slice, after };
    if (before !== undefined) return { ...slice, before };
    return slice;
  });
