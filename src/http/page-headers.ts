import type { SessionPage } from '../service/session-service.js';
import { percentEncode } from './prefix.js';

/** Clients refuse answers whose headers are too long, 16 KiB with Node's own: name no more than fit. */
const MOST_CHARACTERS = 4096;

/** Where else to turn, RFC 8288: with the limit that was applied, which may be lower than the one asked for. */
const links = (path: string, { total, limit, page }: SessionPage): string => {
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (relation: string, target: number) => `<${path}?limit=${limit}&page=${target}>; rel="${relation}"`;
  return [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ].join(', ');
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

/** What the list's body, a bare array, has no place for. `path` is the list's own. */
export const pageHeaders = (path: string, page: SessionPage): Readonly<Record<string, string>> => ({
  'X-Total-Count': String(page.total),
  Link: links(path, page),
  ...(page.unreadable.length === 0 ? {} : { 'X-Unreadable-Sessions': listed(page.unreadable) }),
});
