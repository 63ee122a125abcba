import { commonHeaders, fixed } from '../http/problem.js';
import type { HandlerResponse } from '../http/session-handler.js';
import type { Header, Reference, Schema } from './types.js';

const header = (description: string, schema: Schema = { type: 'string' }, required = true): Header => ({
  description,
  required,
  schema,
});

const meanings: Readonly<Record<string, string>> = {
  'Cache-Control': 'Sessions are private and change by the second.',
  'Retry-After': 'Seconds after which to try again.',
  'WWW-Authenticate': 'How to authenticate: with X-API-KEY.',
  Allow: 'The methods that the path knows.',
};

/** A header with a constant value. `Allow` is the exception: its value depends on the path. */
const fixedHeader = (name: string, value: string): Header =>
  header(meanings[name] ?? name, name === 'Allow' ? { type: 'string' } : { type: 'string', const: value });

/** Header components, by name. */
export const sharedHeaders = {
  CacheControl: fixedHeader('Cache-Control', commonHeaders['Cache-Control']),
  RetryAfter: fixedHeader('Retry-After', fixed('store_unavailable').headers['Retry-After'] ?? ''),
  Location: header('The path of the session.'),
  TotalCount: header('How many sessions there are on all pages.', { type: 'integer', minimum: 0 }),
  Link: header('Other pages, as RFC 8288 says: first, prev, next, last.'),
  NextCursor: header('Leads on as `after`; the last page has none.', { type: 'string' }, false),
  UnreadableSessions: header(
    'The ids of the page whose records are damaged, percent-encoded, with commas between.',
    { type: 'string' },
    false,
  ),
  HistoryTruncated: header(
    'The ids of the sessions whose history was cut by history_limit, percent-encoded, with commas between.',
    { type: 'string' },
    false,
  ),
} as const satisfies Readonly<Record<string, Header>>;

const headerRef = (name: keyof typeof sharedHeaders): Reference => ({ $ref: `#/components/headers/${name}` });

const isShared = (name: string): name is keyof typeof sharedHeaders => Object.hasOwn(sharedHeaders, name);

/** References to header components by header name; `X-Total-Count` is the component `TotalCount`. */
export const headerRefs = (names: readonly string[]): Readonly<Record<string, Header | Reference>> =>
  Object.fromEntries(
    names.map((name) => {
      const component = name.replace(/^X-|-/g, '');
      return [name, isShared(component) ? headerRef(component) : header(name)];
    }),
  );

/** The headers of a response with constant values, without `Content-Type`, which OpenAPI describes elsewhere. */
export const headersOf = (headers: HandlerResponse['headers']): Readonly<Record<string, Header | Reference>> => {
  const described = Object.entries(headers).map(([name, value]): [string, Header | Reference] => {
    if (name === 'Cache-Control' && value === commonHeaders[name]) return [name, headerRef('CacheControl')];
    return [name, name === 'Retry-After' ? headerRef('RetryAfter') : fixedHeader(name, value)];
  });
  return Object.fromEntries(described.filter(([name]) => name !== 'Content-Type'));
};
