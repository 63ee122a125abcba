import type { SessionPage } from '../service/list-sessions.js';
import type { Session } from '../session/session.js';
import { wireNames } from '../wire.js';
import type { PageQuery } from './page-query.js';
import { percentEncode } from './prefix.js';

/** Clients refuse answers whose headers are too long, 16 KiB with Node's own: name no more than fit. */
const MOST_CHARACTERS = 4096;

/** What the links repeat of the query. */
const filtersOf = (query: PageQuery): string => {
  let filters = '';
  for (const name of filterNames) {
    const value = query[name];
    if (value !== undefined) filters += `&${wireNames[name]}=${percentEncode(String(value))}`;
  }
  return filters;
};

const filterNames = ['order', 'status', 'createdAfter', 'createdBefore', 'historyLimit'] as const;

/** Where else to turn, RFC 8288: with the limit that was applied, which may be lower than the one asked for. */
const links = (path: string, { total, limit, page, next }: SessionPage, query: PageQuery): string => {
  const last = Math.max(1, Math.ceil(total / limit));
  const filters = filtersOf(query);
  const link = (relation: string, target: string) => `<${path}?limit=${limit}&${target}${filters}>; rel="${relation}"`;
  const first = link('first', 'page=1');
  if (page === undefined) return next === undefined ? first : `${first}, ${link('next', `after=${next}`)}`;
  const before = page > 1 ? `, ${link('prev', `page=${Math.min(page - 1, last)}`)}` : '';
  const behind = page < last ? `, ${link('next', `page=${page + 1}`)}` : '';
  return `${first}${before}${behind}, ${link('last', `page=${last}`)}`;
};

const listed = (ids: readonly string[]): string => {
  let text = '';
  for (const id of ids) {
    const next = text === '' ? percentEncode(id) : `${text},${percentEncode(id)}`;
    if (next.length > MOST_CHARACTERS) break;
    text = next;
  }
  return text;
};

/** Which histories are shorter than they would be without `history_limit`. */
export const truncationHeaders = (
  sessions: readonly Session[],
  { historyLimit = Number.POSITIVE_INFINITY }: Pick<PageQuery, 'historyLimit'>,
): Readonly<Record<string, string>> => {
  const truncated = sessions.filter(({ historyCount }) => historyCount > historyLimit);
  return truncated.length === 0 ? {} : { 'X-History-Truncated': listed(truncated.map(({ id }) => id)) };
};

/** What the list's body, a bare array, has no place for. `path` is the list's own. */
export const pageHeaders = (
  path: string,
  page: SessionPage,
  query: PageQuery = {},
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = { 'X-Total-Count': String(page.total), Link: links(path, page, query) };
  if (page.next !== undefined) headers['X-Next-Cursor'] = page.next;
  if (page.unreadable.length > 0) headers['X-Unreadable-Sessions'] = listed(page.unreadable);
  return { ...headers, ...truncationHeaders(page.sessions, query) };
};
