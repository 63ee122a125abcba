import type { Result } from 'neverthrow';
import type { IssueList } from '../schema/issue-list.js';
import { ref } from '../schema/json-schema.js';
import { object } from '../schema/object.js';
import { inputOf, readSafely } from '../schema/read-input.js';
import { about, named, type Out, optional, plain, type Schema, schema } from '../schema/schema.js';
import { capped, oneOf, onOrOff, whole } from '../schema/values.js';
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
import { cursorForm, positionOfCursor } from './cursor.js';
import { labelFilter } from './labels.js';
import { timestamp } from './timestamp.js';

/** A filter without the time to which its statuses refer. */
export interface ListFilter extends Omit<PageRange, 'status' | 'now'> {
  readonly statuses?: readonly SessionStatus[] | undefined;
}

export const listOrders = ['newest', 'oldest', 'updated'] as const satisfies readonly ListOrder[];

const order: Schema<ListOrder | undefined> = optional({
  ...oneOf(listOrders, "must be 'newest', 'oldest' or 'updated'"),
  json: () => ({ type: 'string', enum: listOrders, default: listOrders[0] }),
});

export const historyLimit = optional(whole(0));

const maxBytes = optional(whole(1));

const statusNames = sessionStatuses.join(', ');

const statuses: Schema<readonly SessionStatus[]> = schema(
  (issues, path, value) => {
    if (isSessionStatus(value)) return [value];
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    issues.check(given.length > 0, path, `must be one or several of ${statusNames}`);
    for (const [at, status] of given.entries())
      issues.check(isSessionStatus(status), `${path}[${at}]`, `must be one of ${statusNames}`);
    return sessionStatuses.filter((status) => given.includes(status));
  },
  () => ({ type: 'array', items: ref('SessionStatus'), minItems: 1 }),
);

const timeBound = optional(named('Timestamp', about('RFC 3339.', timestamp)));

/** What a cursor is depends on the order of the list. */
const cursor = optional(plain({ type: 'string', pattern: cursorForm.source }));

export const listFields = {
  limit: optional(capped(1, PAGE_LIMIT), DEFAULT_PAGE_LIMIT),
  page: optional(whole(1)),
  order,
  status: optional(statuses),
  labels: optional(labelFilter),
  createdAfter: timeBound,
  createdBefore: timeBound,
  cursor,
  historyLimit,
};

const listQuery = object(listFields);

const eachQuery = object({ ...listFields, limit: optional(capped(1, PAGE_LIMIT), PAGE_LIMIT) });

const CURSOR_RULE = 'must be a cursor: the `nextCursor` of a page of this list';

/** The filter of a query. A rest of its fields would take a fifth of the time of a list. */
const filterOf = (query: Out<typeof listQuery>): ListFilter => {
  const { limit, page = 1, order, status: statuses, labels } = query;
  const { createdAfter, createdBefore, historyLimit } = query;
  // A page past the end is empty, so the bound has no effect.
  const offset = Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
  return { limit, offset, order, statuses, labels, createdAfter, createdBefore, historyLimit };
};

const parseQuery = (issues: IssueList, query: unknown, of: typeof listQuery): ListFilter => {
  const fields = issues.read('query', of, query);
  const { page, order, cursor } = fields;
  const range = filterOf(fields);
  if (cursor === undefined) return range;
  issues.check(page === undefined, 'cursor', 'cannot be given with `page`');
  // `''` is never a cursor.
  const text = typeof cursor === 'string' ? cursor : '';
  const position = positionOfCursor(text, order === 'updated');
  issues.check(position !== undefined, 'cursor', CURSOR_RULE);
  return { ...range, cursor: position };
};

export const parseGetOptions = inputOf('options', object({ historyLimit, maxBytes }));

export const parseReadOptions = inputOf('options', object({ maxBytes }));

const listOptions = optional(object({ maxBytes, withWatchCursor: onOrOff }));

export const parseListQuery = (
  query: unknown,
  options?: unknown,
): Result<ListFilter, InvalidInput> =>
  readSafely((issues) => {
    issues.read('options', listOptions, options);
    return parseQuery(issues, query, listQuery);
  });

export const parseEachQuery = (query: unknown): Result<ListFilter, InvalidInput> =>
  readSafely((issues) => {
    const range = parseQuery(issues, query, eachQuery);
    const isNumbered = isFields(query) && query['page'] !== undefined;
    issues.check(!isNumbered, 'page', 'is not allowed in `each`');
    return range;
  });

const partLength = optional(capped(1, HISTORY_LIMIT));
const position = optional(whole(0));

export const historyFields = {
  last: partLength,
  after: position,
  before: position,
  limit: partLength,
};

const historyQuery = object(historyFields);

export const parseHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  readSafely((issues) => {
    const { last, after, before, limit } = issues.read('query', historyQuery, query);
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
