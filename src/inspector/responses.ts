import type { HandlerResponse } from '../http/index.js';
import { jsonResponse } from '../http/problem.js';

/**
 * Headers of every response: other sites cannot read it, and browsers cannot guess another content
 * type.
 */
const securityHeaders = Object.freeze({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

export const withSecurityHeaders = (response: HandlerResponse): HandlerResponse => ({
  ...response,
  headers: { ...response.headers, ...securityHeaders },
});

const refusal = (status: number, title: string, code: string, detail: string): HandlerResponse =>
  withSecurityHeaders(
    jsonResponse(status, {}, { type: 'about:blank', title, status, detail, code }),
  );

const signIn = refusal(
  401,
  'Unauthorized',
  'unauthenticated',
  'Sign in to look at these sessions.',
);

export const unauthenticated = (challenge: string): HandlerResponse => ({
  ...signIn,
  headers: { ...signIn.headers, 'WWW-Authenticate': challenge },
});

export const crossSite = refusal(
  403,
  'Forbidden',
  'cross_site',
  'Only the page of the inspector may ask for this.',
);

/**
 * Redirects from the path with a trailing slash to the page: the paths of its data are relative.
 */
export const movedToPage = withSecurityHeaders({
  status: 308,
  headers: { 'Cache-Control': 'no-store', Location: '../inspector' },
});
