import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import {
  DEFAULT_HISTORY_LIMIT,
  DEFAULT_PAGE_LIMIT,
  HISTORY_LIMIT,
  PAGE_LIMIT,
} from '../session/session-limits.js';
import { isSessionStatus, type SessionStatus, sessionStatuses } from '../session/session-status.js';
import type { HistorySlice, ListOrder, PageRange, ReadSize } from '../store/session-store.js';
import { parseCursor } from './parse-cursor.js';
import { parseLimit, parseWhole } from './parse-fields.js';
import { parseLabelFilter } from './parse-labels.js';
import { parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';

/** A filter without the time to which its statuses refer. */
export interface ListFilter extends Omit<PageRange, 'status' | 'now'> {
  readonly statuses?: readonly SessionStatus[] | undefined;
}

/** A page to list; `page` is its number, absent with a cursor. */
export interface ParsedQuery {
  readonly range: ListFilter;
  readonly page: number | undefined;
}

export const listOrders = ['newest', 'oldest', 'updated'] as const satisfies readonly ListOrder[];

const isOrder = (value: unknown): value is ListOrder => listOrders.some((order) => order === value);

export const parseHistoryLimit = (issues: IssueList, historyLimit: unknown): ReadSize => ({
  historyLimit:
    historyLimit === undefined ? undefined : parseWhole(issues, 'historyLimit', historyLimit, 0),
});

const parseMaxBytes = (issues: IssueList, maxBytes: unknown): Pick<ReadSize, 'maxBytes'> =>
  maxBytes === undefined ? {} : { maxBytes: parseWhole(issues, 'maxBytes', maxBytes, 1) };

const statusNames = sessionStatuses.join(', ');

/** The statuses of a filter, which takes one or several. */
const parseStatuses = (issues: IssueList, value: unknown): readonly SessionStatus[] | undefined => {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    const isStatus = isSessionStatus(value);
    issues.check(isStatus, 'status', `must be one or several of ${statusNames}`);
    return isStatus ? [value] : undefined;
  }
  const given: readonly unknown[] = value;
  for (const [at, status] of given.entries()) {
    if (issues.isFull) break;
    issues.check(isSessionStatus(status), `status[${at}]`, `must be one of ${statusNames}`);
  }
  return sessionStatuses.filter((status) => given.includes(status));
};

const queryNames = [
  'limit',
  'page',
  'order',
  'status',
  'labels',
  'createdAfter',
  'createdBefore',
  'cursor',
  'historyLimit',
] as const;

type QueryFields = Readonly<Partial<Record<(typeof queryNames)[number], unknown>>>;

const parseQuery = (issues: IssueList, fields: QueryFields, defaultLimit: number): ParsedQuery => {
  const { limit: most = defaultLimit, page: number = 1, historyLimit, cursor } = fields;
  const { order, status, labels, createdAfter, createdBefore } = fields;
  const limit = parseLimit(issues, 'limit', most, PAGE_LIMIT);
  const page = parseWhole(issues, 'page', number, 1);
  issues.check(
    cursor === undefined || fields.page === undefined,
    'cursor',
    'cannot be given with `page`',
  );
  issues.check(
    order === undefined || isOrder(order),
    'order',
    "must be 'newest', 'oldest' or 'updated'",
  );
  const range: ListFilter = {
    // A page past the end is empty, so the bound has no effect.
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit,
    ...parseHistoryLimit(issues, historyLimit),
    statuses: parseStatuses(issues, status),
    labels: parseLabelFilter(issues, labels),
    order: isOrder(order) ? order : undefined,
    createdAfter:
      createdAfter === undefined ? undefined : parseTimestamp(issues, 'createdAfter', createdAfter),
    createdBefore:
      createdBefore === undefined
        ? undefined
        : parseTimestamp(issues, 'createdBefore', createdBefore),
    cursor:
      cursor === undefined ? undefined : parseCursor(issues, 'cursor', cursor, order === 'updated'),
  };
  return { range, page: cursor === undefined ? page : undefined };
};

export const parseGetOptions = (options: unknown): Result<ReadSize, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { historyLimit, maxBytes } = parseKnown(issues, 'options', options, [
      'historyLimit',
      'maxBytes',
    ]);
    return { ...parseHistoryLimit(issues, historyLimit), ...parseMaxBytes(issues, maxBytes) };
  });

export const parseCreateOptions = (
  options: unknown,
): Result<Pick<ReadSize, 'maxBytes'>, InvalidInput> =>
  parseSafely('options', (issues) =>
    parseMaxBytes(issues, parseKnown(issues, 'options', options, ['maxBytes']).maxBytes),
  );

export const parseListQuery = (
  query: unknown,
  options: unknown = {},
): Result<ParsedQuery, InvalidInput> =>
  parseSafely('query', (issues) => {
    const { maxBytes, withWatchCursor } = parseKnown(issues, 'options', options, [
      'maxBytes',
      'withWatchCursor',
    ]);
    parseMaxBytes(issues, maxBytes);
    const isFlag = withWatchCursor === undefined || typeof withWatchCursor === 'boolean';
    issues.check(isFlag, 'withWatchCursor', 'must be true or false');
    return parseQuery(issues, parseKnown(issues, 'query', query, queryNames), DEFAULT_PAGE_LIMIT);
  });

/** Parses a query for `each`. Its default limit is the maximum. */
export const parseEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  parseSafely('query', (issues) => {
    const fields = parseKnown(issues, 'query', query, queryNames);
    const { range } = parseQuery(issues, fields, PAGE_LIMIT);
    issues.check(fields.page === undefined, 'page', 'is not allowed in `each`');
    return range;
  });

const parseCount = (
  issues: IssueList,
  path: string,
  value: unknown = DEFAULT_HISTORY_LIMIT,
): number => parseLimit(issues, path, value, HISTORY_LIMIT);

export const parseHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  parseSafely('query', (issues) => {
    const { last, after, before, limit } = parseKnown(issues, 'query', query, [
      'last',
      'after',
      'before',
      'limit',
    ]);
    if (after === undefined && before === undefined) {
      const rule = 'needs `after` or `before`; use `last` for the latest entries';
      issues.check(limit === undefined, 'limit', rule);
      return { limit: parseCount(issues, 'last', last) };
    }
    issues.check(last === undefined, 'last', 'cannot be given with `after` or `before`');
    issues.check(
      after === undefined || before === undefined,
      'before',
      'cannot be given with `after`',
    );
    const count = parseCount(issues, 'limit', limit);
    return before === undefined
      ? { after: parseWhole(issues, 'after', after, 0), limit: count }
      : { before: parseWhole(issues, 'before', before, 0), limit: count };
  });
