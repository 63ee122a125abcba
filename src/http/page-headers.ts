import { labelTexts, percentEncode } from '../endpoints/endpoint.js';
import { listFields } from '../input/list-query.js';
import { wireFields } from '../schema/wire.js';
import type { SessionPage } from '../service/operation-results.js';
import { type Fields, isFields } from '../session/fields.js';
import type { Session } from '../session/session.js';
import { numberIn } from './input-reader.js';

/** Maximum characters of a header value. Clients reject long headers; Node does from 16 KiB. */
const MAX_CHARACTERS = 4096;

const pageNames: ReadonlySet<string> = new Set(['limit', 'page', 'cursor']);

const filters = wireFields(listFields).filter(({ name }) => !pageNames.has(name));

const textsOf = (value: unknown): readonly string[] => {
  if (isFields(value)) return labelTexts(value);
  return Array.isArray(value) ? value.map(String) : [String(value)];
};

const filtersOf = (query: Fields): string =>
  filters
    .filter(({ name }) => query[name] !== undefined)
    .flatMap(({ name, sentAs }) =>
      textsOf(query[name]).map((text) => `&${sentAs}=${percentEncode(text)}`),
    )
    .join('');

/**
 * The links to other pages (RFC 8288). They contain the limit that was applied, which may be lower
 * than the requested one.
 */
const links = (path: string, { total, limit, nextCursor }: SessionPage, query: Fields): string => {
  const last = Math.max(1, Math.ceil(total / limit));
  const repeated = filtersOf(query);
  const page = numberIn(query, 'page') ?? 1;
  const byPage = {
    prev: page > 1 && `page=${Math.min(page - 1, last)}`,
    next: page < last && `page=${page + 1}`,
    last: `page=${last}`,
  };
  const byCursor = { next: nextCursor && `cursor=${nextCursor}` };
  const others = query['cursor'] === undefined ? byPage : byCursor;
  return Object.entries({ first: 'page=1', ...others })
    .filter(([, target]) => target)
    .map(([relation, target]) => `<${path}?limit=${limit}&${target}${repeated}>; rel="${relation}"`)
    .join(', ');
};

const listed = (ids: readonly string[]): string => {
  let text = '';
  for (const id of ids) {
    const next = [text, percentEncode(id)].filter(Boolean).join(',');
    if (next.length > MAX_CHARACTERS) break;
    text = next;
  }
  return text;
};

/** Lists the sessions whose history was cut by `history_limit`. */
export const truncationHeaders = (
  sessions: readonly Session[],
  { historyLimit }: Fields,
): Readonly<Record<string, string>> => {
  if (typeof historyLimit !== 'number') return {};
  const truncated = sessions.filter(({ historyCount }) => historyCount > historyLimit);
  if (truncated.length === 0) return {};
  return { 'X-History-Truncated': listed(truncated.map(({ id }) => id)) };
};

/**
 * The page metadata, which the body, a bare array, cannot contain. `path` is the path of the list.
 */
export const pageHeaders = (
  path: string,
  page: SessionPage,
  query: Fields,
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {
    'X-Total-Count': String(page.total),
    Link: links(path, page, query),
  };
  if (page.nextCursor !== undefined) headers['X-Next-Cursor'] = page.nextCursor;
  if (page.unreadable.length > 0) headers['X-Unreadable-Sessions'] = listed(page.unreadable);
  return Object.assign(headers, truncationHeaders(page.sessions, query));
};
